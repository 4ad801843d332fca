"""An extension of griffe: the documentation of a tensor's method refers to the equivalent function of `gl`."""

import griffe

#: Functions of `gl` by method, for methods whose names differ from the function.
FUNCTIONS = {"to": "cast"}


class DocumentBuiltinMethods(griffe.Extension):
    """Adds docstrings to the methods that `hocket.language.tensor` declares only for type checkers."""

    def on_package(self, *, pkg: griffe.Module, **kwargs) -> None:
        language = pkg["language"]
        for name, method in pkg["language._tensor.tensor"].members.items():
            function = FUNCTIONS.get(name, name)
            if method.is_function and not method.runtime and not method.docstring and function in language.members:
                text = f"[`gl.{function}(x, ..)`][hocket.language.{function}] as a method."
                method.docstring = griffe.Docstring(text, parent=method)
