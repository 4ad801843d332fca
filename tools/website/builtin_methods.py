"""An extension of griffe: methods of tensors that are functions of `gl`, too, refer to these."""

import griffe

#: Methods with a name of their own.
FUNCTIONS = {"to": "cast"}


class DocumentBuiltinMethods(griffe.Extension):
    """Documents the methods that `hocket.language.tensor` declares for type checkers alone."""

    def on_package(self, *, pkg: griffe.Module, **kwargs) -> None:
        language = pkg["language"]
        for name, method in pkg["language._tensor.tensor"].members.items():
            function = FUNCTIONS.get(name, name)
            if method.is_function and not method.runtime and not method.docstring and function in language.members:
                text = f"[`gl.{function}(x, ..)`][hocket.language.{function}] as a method."
                method.docstring = griffe.Docstring(text, parent=method)
