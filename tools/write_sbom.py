"""Writes the software bill of materials of a wheel (CycloneDX), from third_party/components.json.

Usage: python tools/write_sbom.py VERSION > hocket.cdx.json     with the Python that the wheel is built with
"""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import subprocess
import sys

COMPONENTS = pathlib.Path(__file__).parents[1] / "third_party" / "components.json"


def read_components() -> list[dict]:
    """Returns a dict for each component: name, license, URL, source of the version, linked archives, and whether
    third_party/LICENSES.txt must contain the component's notice."""
    return json.loads(COMPONENTS.read_text())


def version_of(source: str, components: list[dict]) -> str:
    """Returns the version of a component, from its `source`: a Python package, a package of the system, or another
    component that contains this one."""
    kind, _, name = source.partition(":")
    if kind == "python":
        return importlib.metadata.version(name)
    if kind == "part":
        return version_of(next(c for c in components if c["name"] == name)["version"], components)
    query = ["dpkg-query", "--show", "--showformat", "${Version}", name]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout


def sbom(version: str) -> dict:
    components = read_components()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "name": "hocket",
                "version": version,
                "purl": f"pkg:pypi/hocket@{version}",
                "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception"}],
            }
        },
        "components": [
            {
                "type": "library",
                "name": component["name"],
                "version": version_of(component["version"], components),
                "licenses": [{"expression": component["license"]}],
                "externalReferences": [{"type": "website", "url": component["url"]}],
            }
            for component in components
        ],
    }


if __name__ == "__main__":
    print(json.dumps(sbom(sys.argv[1]), indent=2))
