"""The rules of check_prose.py: words that docs/glossary.md replaces with terms of the field."""

from __future__ import annotations

import re
from typing import NamedTuple


class Rule(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    instead: str
    #: True if the rule applies only to the first words of a comment, docstring or summary.
    opens: bool = False


def words(name: str, pattern: str, instead: str) -> Rule:
    """Returns a rule that searches each line for `pattern`, ignoring case."""
    return Rule(name, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead)


def opening(name: str, pattern: str, instead: str) -> Rule:
    """Returns a rule that applies to the first words of a comment, docstring or summary, with case-sensitive
    matching."""
    return Rule(name, re.compile(pattern), instead, opens=True)


BRITISH = (
    "neighbours?|neighbouring|colours?|coloured|behaviours?|favour(?:s|ed|able)?|flavours?|honour(?:s|ed)?|"
    "centre[sd]?|licence[sd]?|defences?|artefacts?|catalogue|grey|judgement|whilst|amongst|modelled|modelling|labelled|"
    "labelling|cancelled|cancelling|signalled|signalling|travelled|travelling|(?:un)?analysed?|analysing"
)
ISE = (
    "optimi|initiali|synchroni|recogni|minimi|maximi|normali|speciali|seriali|paralleli|vectori|materiali|summari|organi|"
    "generali|linki|reali|utili|emphasi|stabili|finali|equali|canonicali|legali|lineari|tokeni|quanti|visuali|customi|"
    "saniti|characteri|parametri|randomi|locali|memoi|amorti|prioriti|categori|symboli|standardi|atomi|binari|privati|"
    "scalari|factori"
)
CODE = "pass|passes|functions?|kernels?|compiler|lanes?|warps?|blocks?|instructions?|ops?|operations?|it|they"

AMERICAN_SPELLING = (
    words("American spelling", BRITISH, "-or, -er, -ize, one l"),
    words("American spelling", rf"(?:de|re|un|non-?)?(?:{ISE})s(?:e|es|ed|er|ers|ing|ation|ations)", "-ize, -ization"),
)
#: Text that is exempt from spelling rules: names of Python and Triton, and a spelling that users may write.
NOT_OURS = re.compile(r"CancelledError|\bcancelled\(|canonicalisation|warp-specialised")

RULES = (
    opening(
        "headless",
        r"(?:What|Who|Whose|Where|Whether|Which|How|Of|As|By which|The same)\b(?! to\b)(?! this\b.*\?)",
        "a verb or a noun phrase with its subject",
    ),
    opening("question", r"(?:Is|Has|Does|Do|Are|Can|May|Must|Will) [^.]{3,}\?", "True if ..."),
    words(
        "product",
        r"matrix products?|products? of (?:a )?warpgroups?|(?:the|a|this|each|its|their|these|whose|by|two|both|and|"
        r"other|such|all|further|no|wide|waits for) products?"
        r"(?! of (?:the )?(?:sizes|shapes?|dimensions|strides|numbers))",
        "MMA, wgmma, MFMA; GEMM for the whole operation",
    ),
    words(
        "place",
        r"(?<!take )(?<!takes )(?<!took )(?<!in )(?<!taking )"
        r"(?:a|the|its|their|this|that|which|one|two|same|each|other|of|these|own|another|such|many) places?",
        "address, offset, location, program point, buffer index",
    ),
    words("k-tile", "slices? of k|steps? of k", "k-tile"),
    words("shares", "(?:by|of|in|into|the|its|their|each) shares", "split-K, split-KV"),
    words("shares out", "shar(?:es?|ed|ing) out|dealt|deals? out|dealing", "distribute, split"),
    words("persistent", "blocks? that stays?", "persistent CTA"),
    words(
        "turns",
        "in turns|takes? turns|taking turns|took turns|(?:each|its|their|a|one|the other's|whose) turns?",
        "ping-pong; alternate; interleaved; iteration",
    ),
    words("except", "but for", "except"),
    words("in flight", "under way|underway", "in flight, outstanding, pending"),
    words("through with", "through with", "has finished, has completed"),
    words(
        "signal",
        "announcements?|open (?:tensors?|layouts?)|joints?",
        "signal; undecided tensor; boundary of two pipelines",
    ),
    words("means", "(?:its|their|LLVM's|own) own means|of (?:its|their) own kind", "name the instruction or the kind"),
    words("again", "anew", "again"),
    words("bursts", "in heaps", "in bursts"),
    words("people", "nobody|somebody|everybody|whoever|whomever", "no warp; a warp that; a user who"),
    words("who", "(?:those|one|warps?|lanes?|blocks?|pass(?:es)?|kernels?|threads?) who", "that"),
    words("so many", "so many|so much|as many", "N; the number of"),
    words(
        "noun clause",
        "(?:what|how) (?:it|they|is|are|was|were|has|have) "
        "(?:is|are|was|has|have|does|do|holds?|reads?|writes?|said|says|of)",
        "name the thing",
    ),
    words(
        "what is",
        "what (?:is|are|was|were|has|have) (?:of|in|left|there|known|not|no|meant|asked|needed|written|read|used|done|"
        "made|to|at|behind|between)",
        "name the thing",
    ),
    Rule(
        "two dots",
        re.compile(r"(?<![.\w/\])\"'`])\.\.(?![./\w*])|\w \.\.(?=[\s,;)])"),
        "... (three dots)",
    ),
    Rule(
        "leaning",
        re.compile(r"(?:^|[.:;] )(?:So (?:is|are|do|does|did|was|were|has|have)\b|The others\b)"),
        "repeat the noun: a sentence is plain without the one before it",
    ),
    words("L1", "first[- ]level(?:'s)? cache|first level's cache", "L1 cache"),
    words("behind each other", "behind each other", "one after another, adjacent"),
    words("puts back", "(?:puts?|gives?|gave) back", "restore, release"),
    words("changes places", "chang(?:es?|ed|ing) places", "swap"),
    words("its like", "(?:its|their|the) likes?(?! to)", "similar operations"),
    words(
        "is no",
        r"(?<!there )(?:is|are|was|were) no (?!longer|more|less|fewer|other|error|effect|different|such|change)"
        r"\w+",
        "is not a",
    ),
    words("none but", "none but|nothing but|all but", "only; all except"),
    words(
        "talking code",
        rf"(?:{CODE}) (?:says?|tells?|asks?|knows?|looks?|wants?|told|asked|said)",
        "returns, reports, computes, queries",
    ),
    words("goes on", "(?:goes|go|going|went) on", "continues"),
    words("stands", "(?:stands?|stood) (?:in|for|at|before|after|there|beside|by|as|behind)", "is"),
    words("meeting", "meetings?", "rendezvous, convergence point"),
    words("in front of", "in front of", "before"),
    words("likewise", "likewise", "also"),
    *AMERICAN_SPELLING,
    words("softmax", "softmax weights|fade[sd]?", "probabilities P; rescale"),
    words("tile scheduler", "draws? (?:a |its |the )?(?:next )?tiles?", "dynamic tile scheduler; work counter"),
    words("history", r"as before|any ?more|used to be|until then", "describe what is; history goes to CHANGELOG.md"),
    words("requests", "wanted|asked for|as planned|than planned", "describe behavior"),
)
