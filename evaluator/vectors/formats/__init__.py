"""The formats of vectors files: functions that read an opened file; `FORMATS` in `reading` names them."""
