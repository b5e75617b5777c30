// The language of a file of vectors, as its name says: the rule of `evaluator score`, which a test compares.

const ENDINGS = /(\.(vec|bin|txt|kv|gz|bz2|xz|zip))+$/; // some of which are codes, such as Venetian's

/** Those of the known codes that stand alone in the name of a file, each once: `la` of `wiki.la-300.vec`. */
export function codesIn(name, known) {
  const parts = name.toLowerCase().replace(ENDINGS, "").split(/[._\s]+/);
  return [...new Set(parts.flatMap((part) => (known.has(part) ? [part] : part.split("-").filter((each) => known.has(each)))))];
}
