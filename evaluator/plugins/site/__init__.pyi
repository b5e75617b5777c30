from .pages import write_site as write_site
