"""The design package: the only code that knows a path or key inside a package."""
