"""Names outside the core language. Gluon's `libdevice` will live here."""
