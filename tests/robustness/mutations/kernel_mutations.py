"""Mutations of a kernel's tree: what a slip of the hand, a wrong idea or an extreme number makes of it."""

import ast
import copy

INTEGERS = [0, 1, -1, 2, 3, 7, 16, 31, 33, 64, 100, 1024, 2**16, 2**20, 2**21, 2**31 - 1, 2**31, -(2**31), 2**32]
INTEGERS += [2**62, 2**63 - 1, 2**63, 2**64, -(2**63), 10**30]
OTHERS = [None, True, False, 0.0, -0.0, 1.5, 1e308, float("inf"), float("nan"), "x", "", b"x", ..., 2j]
OPERATORS = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd]
OPERATORS += [ast.BitXor, ast.Pow, ast.MatMult]
COMPARISONS = [ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn]
UNARY = [ast.UAdd, ast.USub, ast.Not, ast.Invert]


def nodes(tree, *kinds):
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def expressions(tree):
    """(parent, field, index) of every expression that is read."""
    places = []
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.expr) and not isinstance(getattr(child, "ctx", None), ast.Store):
                    places.append((parent, name, index))
    return places


def blocks(tree):
    return [body for node in ast.walk(tree) if isinstance(body := getattr(node, "body", None), list) and body]


def get(place):
    parent, name, index = place
    return getattr(parent, name) if index is None else getattr(parent, name)[index]


def put(place, new):
    parent, name, index = place
    if index is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[index] = new


# Each takes (rng, function, donor): a function of the corpus to take pieces from.


def change_constant(rng, function, donor):
    if found := nodes(function, ast.Constant):
        node = rng.choice(found)
        if isinstance(node.value, int) and rng.random() < 0.8:
            near = [node.value + 1, node.value - 1, node.value * 2, -node.value, node.value // 2]
            node.value = rng.choice(near if rng.random() < 0.5 else INTEGERS)
        else:
            node.value = rng.choice(OTHERS + INTEGERS)


def change_name(rng, function, donor):
    found = nodes(function, ast.Name)
    if found:
        rng.choice(found).id = rng.choice(nodes(function if rng.random() < 0.8 else donor, ast.Name) or found).id


def change_attribute(rng, function, donor):
    found, other = nodes(function, ast.Attribute), nodes(donor, ast.Attribute)
    if found and other:
        rng.choice(found).attr = rng.choice(other).attr


def change_operator(rng, function, donor):
    if found := nodes(function, ast.BinOp, ast.AugAssign, ast.Compare, ast.UnaryOp):
        node = rng.choice(found)
        if isinstance(node, ast.Compare):
            node.ops = [rng.choice(COMPARISONS)() for _ in node.ops]
        else:
            node.op = rng.choice(UNARY if isinstance(node, ast.UnaryOp) else OPERATORS)()


def change_arguments(rng, function, donor):
    if not (found := nodes(function, ast.Call)):
        return
    call = rng.choice(found)
    kind = rng.randrange(5)
    if kind == 0 and call.args:
        del call.args[rng.randrange(len(call.args))]
    elif kind == 1 and call.args:
        call.args.insert(rng.randrange(len(call.args)), copy.deepcopy(rng.choice(call.args)))
    elif kind == 2 and len(call.args) > 1:
        rng.shuffle(call.args)
    elif kind == 3 and call.keywords:
        del call.keywords[rng.randrange(len(call.keywords))]
    elif keywords := [keyword for other in nodes(donor, ast.Call) for keyword in other.keywords]:
        call.keywords.append(copy.deepcopy(rng.choice(keywords)))


def exchange_expressions(rng, function, donor):
    places = expressions(function)
    if len(places) > 1:
        a, b = rng.sample(places, 2)
        x, y = copy.deepcopy(get(a)), copy.deepcopy(get(b))
        put(a, y)
        put(b, x)


def graft_expression(rng, function, donor):
    here, there = expressions(function), expressions(donor)
    if here and there:
        put(rng.choice(here), copy.deepcopy(get(rng.choice(there))))


#: Operations that take tensors and functions of elements; x and y are placeholders for expressions.
CALLS = [
    "gl.associative_scan(x, 0, lambda a, b: a + b)",
    "gl.associative_scan((x, y), 0, lambda a, b, c, d: (a + c, gl.maximum(b, d)))",
    "gl.cumsum(x, 0, reverse=y)",
    "gl.reduce(x, 0, lambda a, b: a if a > b else y)",
    "gl.map_elementwise(lambda a: a + 1 if a > 3 else a, x)",
    "gl.map_elementwise(lambda a, b: (a, b), x, y, pack=2)",
    "gl.gather(x, y, 0)",
    "gl.histogram(x, y)",
    "gl.join(x, y)",
    "gl.split(x)",
    "gl.set_auto_layout(x, y)",
    "gl.convert_layout(x, gl.AutoLayout())",
    "gl.convert_layout(x, gl.CoalescedLayout())",
    "gl.arange(0, x)",
    "x.gather(y, 0)",
    "x.scatter(y, y, 0)",
    "(lambda a: a + y)(x)",
    "x.combined(y)",
    "x.next()",
]


def filled(text, x, y):
    """The expression of `text`, with x and y replaced."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node):
            return copy.deepcopy({"x": x, "y": y}.get(node.id, node))

    return Fill().visit(ast.parse(text, mode="eval").body)


def wrap_expression(rng, function, donor):
    if places := expressions(function):
        place = rng.choice(places)
        node = copy.deepcopy(get(place))
        other = copy.deepcopy(get(rng.choice(places)))
        kinds = [
            lambda: filled(rng.choice(CALLS), node, other),
            lambda: filled(rng.choice(CALLS), node, other),
            lambda: ast.Subscript(node, other, ast.Load()),
            lambda: ast.Tuple([node, other], ast.Load()),
            lambda: ast.List([node] * rng.randrange(4), ast.Load()),
            lambda: ast.IfExp(other, node, copy.deepcopy(node)),
            lambda: ast.BoolOp(rng.choice([ast.And, ast.Or])(), [node, other]),
            lambda: ast.UnaryOp(rng.choice(UNARY)(), node),
            lambda: ast.BinOp(node, rng.choice(OPERATORS)(), other),
            lambda: ast.Compare(node, [rng.choice(COMPARISONS)()], [other]),
            lambda: ast.Attribute(node, rng.choice(["T", "to", "shape", "dtype", "load", "index", "x"]), ast.Load()),
            lambda: ast.Call(node, [other], []),
            lambda: ast.NamedExpr(ast.Name("fresh", ast.Store()), node),
            lambda: ast.Lambda(ast.arguments([], [], None, [], [], None, []), node),
        ]
        put(place, rng.choice(kinds)())


def drop_statement(rng, function, donor):
    body = rng.choice(blocks(function))
    del body[rng.randrange(len(body))]
    if not body:
        body.append(ast.Pass())


def repeat_statement(rng, function, donor):
    body = rng.choice(blocks(function))
    at = rng.randrange(len(body))
    body[at:at] = [copy.deepcopy(body[at]) for _ in range(rng.choice([1, 1, 1, 3, 40]))]


def move_statement(rng, function, donor):
    source, target = rng.choice(blocks(function)), rng.choice(blocks(function))
    statement = copy.deepcopy(rng.choice(source))
    target.insert(rng.randrange(len(target) + 1), statement)


def graft_statement(rng, function, donor):
    body = rng.choice(blocks(function))
    body.insert(rng.randrange(len(body) + 1), copy.deepcopy(rng.choice(rng.choice(blocks(donor)))))


def wrap_statement(rng, function, donor):
    body = rng.choice(blocks(function))
    at = rng.randrange(len(body))
    inner = body[at]
    names = [node.id for node in nodes(function, ast.Name)] or ["x"]
    some = rng.choice(names)
    number = rng.choice([0, 1, 3, 1000])
    texts = [
        f"if {some}: pass",
        f"if {some} > {number}: pass",
        f"for i in range({some}): pass",
        f"for {some} in range({number}): pass",
        f"for i in gl.static_range({number}): pass",
        f"for i in gl.range(0, {number}, num_stages=3): pass",
        f"while {some} < {number}: pass",
        "with amd.warp_pipeline_stage(): pass",
        "try: pass\nfinally: pass",
        "def inner(): pass",
        f"with gl.profiler.scope('{some}', {some}): pass",
        f"for i in range({some}):\n  if i == {number}: break",
        f"def inner({some}): pass\ninner({some})",
    ]
    outer, *after = ast.parse(rng.choice(texts)).body
    outer.body = [inner, *(node for node in outer.body if not isinstance(node, ast.Pass))]
    body[at : at + 1] = [outer, *after]


def insert_statement(rng, function, donor):
    """A jump, or a statement about a name."""
    body = rng.choice(blocks(function))
    name = rng.choice([node.id for node in nodes(function, ast.Name)] or ["x"])
    texts = ["break", "continue", "return", f"return {name}", f"if {name}: return {name}", f"if {name} > 2: break"]
    texts += [f"gl.profiler.mark('m', {name})", f"{name} = gl.profiler.begin('b')", f"gl.profiler.end({name})"]
    texts += [f"{name}.field = {name}", f"{name} = hocket.aggregate_replace({name}, first={name})", f"del {name}"]
    texts += [f"{name} = lambda a, b=1: a + b", f"{name} += 1", f"nonlocal {name}", f"a, *{name} = {name}"]
    body[(at := rng.randrange(len(body) + 1)) : at] = ast.parse(rng.choice(texts)).body


MUTATIONS = [change_constant, change_constant, change_name, change_attribute, change_operator, change_arguments]
MUTATIONS += [exchange_expressions, graft_expression, wrap_expression, drop_statement, repeat_statement]
MUTATIONS += [move_statement, graft_statement, wrap_statement, insert_statement]


def definitions(tree):
    return nodes(tree, ast.FunctionDef, ast.ClassDef)


def mutate(rng, function, corpus):
    """The text of a mutant of the ast.FunctionDef `function`, or of an ast.Module of definitions. Decorators stay as
    they are: Python evaluates them, and may take forever."""
    function = copy.deepcopy(function)
    decorators = {node.name: node.decorator_list for node in definitions(function)}
    for node in definitions(function):
        node.decorator_list = []
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        rng.choice(MUTATIONS)(rng, function, rng.choice(corpus))
    for node in definitions(function):
        node.decorator_list = decorators.get(node.name, [])
    return ast.unparse(ast.fix_missing_locations(function)) + "\n"
