"""HTML read by a parser, for tests: what a page says, and what it loads."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "hr", "input", "wbr"}


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent, self.children = tag, attributes, parent, []

    def __getitem__(self, name):
        return self.attributes[name]

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag, **attributes):
        return [
            each
            for each in self.walk()
            if each.tag == tag and all(each.attributes.get(k) == v for k, v in attributes.items())
        ]

    def one(self, tag, **attributes):
        (found,) = self.all(tag, **attributes)
        return found

    @property
    def text(self):
        return "".join(each.text if isinstance(each, Element) else each for each in self.children)

    def rows(self):
        """The cells of a table, as texts."""
        return [
            [cell.text.strip() for cell in row.children if isinstance(cell, Element)]
            for row in self.one("tbody").all("tr")
        ]


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = self.current = Element("", {}, None)

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs), self.current)
        self.current.children.append(element)
        if tag not in VOID:
            self.current = element

    def handle_startendtag(self, tag, attrs):
        self.current.children.append(Element(tag, dict(attrs), self.current))

    def handle_endtag(self, tag):
        assert self.current.tag == tag, f"</{tag}> closes <{self.current.tag}>"
        self.current = self.current.parent

    def handle_data(self, data):
        self.current.children.append(data)


def parse(text):
    """The elements of a page; each must be closed where it should be."""
    parser = _Parser()
    parser.feed(text)
    parser.close()
    assert parser.current is parser.root, f"<{parser.current.tag}> is not closed"
    return parser.root


def table(page, caption):
    """The table of a caption."""
    (found,) = [each for each in page.all("table") if each.one("caption").text == caption]
    return found
