"""The value ladder: one design through every engine, compared stream by stream and token by token (docs/ladder.md)."""
