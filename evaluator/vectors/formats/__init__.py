"""The formats of vectors files: each function here that `vector_format` decorates reads one."""
