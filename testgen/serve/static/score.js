// The page that scores a file of the visitor, which stays on the visitor's machine.

import { codesIn } from "./file-language.js";
import { closing, digits, FEW, judged, line } from "./inference.js";

const form = document.getElementById("score"), place = document.getElementById("scores"), bar = document.getElementById("progress");
const status = document.querySelector("[data-status]"), cancel = document.getElementById("cancel");
const root = document.documentElement.dataset.root;
const folding = JSON.parse(document.getElementById("folding").textContent);
const sets = new Map();
const languages = new Map([...form.elements.language.options].filter((each) => each.value).map((each) => [each.value, each.textContent]));
let workers = newWorkers(), running = false, scored; // the language of the file that is scored, and what to say of it

/** A text whose signs that nobody sees are escapes, as the pages of the service have it. */
const visible = (text) => text.replace(/[\0-\b\v-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, (sign) => `\\u${sign.charCodeAt().toString(16).padStart(4, "0")}`);

function element(name, text = "", attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(typeof text === "string" ? visible(text) : text);
  return made;
}

/** The test set of a language; it is fetched as soon as the language is known, if it is chosen before there is a file. */
function testSet(code) {
  if (!sets.has(code)) sets.set(code, fetch(`${root}/api/v1/test-sets/${code}.json`).then((answer) => answer.json()));
  return sets.get(code);
}

function prefetch() {
  const code = form.elements.language.value;
  if (code) testSet(code).catch(() => sets.delete(code));
}

/** The code of the language: that which the visitor chose, else the one in the file's name; or what to ask the visitor. */
function languageOf(file) {
  const chosen = form.elements.language.value, codes = codesIn(file.name, languages);
  const called = (all) => all.map((code) => `${languages.get(code)} (${code})`).join(" and ");
  if (chosen) {
    const isOther = codes.length > 0 && !codes.includes(chosen);
    return { code: chosen, said: isOther ? `The file’s name says ${called(codes)}, and the test set is of ${called([chosen])}. Is this the right language?` : "" };
  }
  if (codes.length === 1) return { code: codes[0], said: `Scored as ${called(codes)}, by the file’s name. If this is wrong, choose the language.` };
  const which = codes.length ? `${called(codes)} stand in the file’s name` : "The file’s name has no code of a language with a test set";
  return { question: `Which language? ${which}. Choose it.` };
}

/** The workers are there before there is a file, so that nothing is asked for once there is one: one for each processor. */
function newWorkers() {
  const made = Array.from({ length: Math.min(navigator.hardwareConcurrency || 1, 16) }, () => new Worker(form.dataset.worker)), [first, ...helpers] = made;
  const channels = helpers.map(() => new MessageChannel());
  helpers.forEach((helper, number) => helper.postMessage({ first: channels[number].port2 }, [channels[number].port2]));
  const ports = channels.map((channel) => channel.port1);
  first.postMessage({ helpers: ports }, ports);
  first.onmessage = ({ data }) => {
    if (data.progress) {
      status.textContent = data.progress;
      bar.value = data.share;
    } else if (data.problem) end(data.problem);
    else show(data.result);
  };
  for (const each of made) each.onerror = () => stop("The file needs more than the browser gives. Use fewer words, or evaluator.");
  return made;
}

function stop(text) {
  if (running) {
    for (const each of workers) each.terminate();
    workers = newWorkers();
  }
  end(text);
}

function end(text) {
  running = false;
  bar.hidden = cancel.hidden = true;
  status.textContent = text;
}

async function start() {
  const file = form.elements.file.files[0];
  if (!file) return;
  stop("");
  place.replaceChildren();
  delete place.dataset.result;
  const { code, said, question } = languageOf(file), most = Math.max(1, Number(form.elements.most.value) || 200000);
  if (question) {
    end(question);
    form.elements.language.focus();
    return;
  }
  bar.removeAttribute("value");
  bar.hidden = cancel.hidden = false;
  let set;
  try {
    set = await testSet(code);
  } catch {
    sets.delete(code);
    end("The test set cannot be fetched. Is your connection up?");
    return;
  }
  if (file !== form.elements.file.files[0]) return; // another was chosen while the test set was fetched
  scored = { code, said };
  running = true;
  workers[0].postMessage({ file, testSet: set, folding, most });
}

function row(cells, kind = "td") {
  const made = document.createElement("tr");
  cells.forEach((cell, number) => made.append(element(number ? kind : "th", cell, { className: number ? "figure" : "", scope: number ? "" : "row" })));
  return made;
}

function table(caption, heads, rows) {
  const made = element("table", element("caption", caption)), head = made.createTHead(), body = made.createTBody();
  head.append(row(heads, "th"));
  body.append(...rows.map((cells) => row(cells)));
  return made;
}

function show(found) {
  const { name } = form.elements.file.files[0], { code, said } = scored;
  end("Done.");
  const cut = found.oddVocabulary < found.vocabulary;
  const same = (measures, words) => `evaluator score '${name.replaceAll("'", "'\\''")}' --test ${code}.json --vocabulary ${words}${measures}`;
  const commands = cut
    ? [same(" --measure Topk@3", found.vocabulary), same(" --measure OddOneOut@3", found.oddVocabulary)]
    : [same(" --measure Topk@3 --measure OddOneOut@3", found.vocabulary)];
  const scores = Object.entries(found.measures).map(([measure, every]) => judged(measure, every));
  const isForeign = found.known < FEW * found.words; // as of a model of another language
  place.replaceChildren(
    ...(said ? [element("p", said, { className: isForeign || !said.startsWith("Scored") ? "problem" : "quiet" })] : []),
    ...(isForeign ? [element("p", `The vectors know few words of ${languages.get(code)}: are they of this language?`, { className: "problem" })] : []),
    element("p", closing(name, scores, found.known, found.words), { className: "note" }),
    element("div", table(`${name}, ${found.vocabulary.toLocaleString("en")} words`, ["Measure", "Score", "95% interval", "Chance", "Frequency", "Spelling", "Verdict"], scores.map(line)), { className: "scroll", role: "region", ariaLabel: "Table of scores", tabIndex: 0 }),
    element("p", `The vectors know ${found.known.toLocaleString("en")} of ${found.words.toLocaleString("en")} words. A word that they do not know is a miss. Frequency and spelling are what a model gets that knows only how frequent words are, or only their letters.`),
    ...(cut ? [element("p", `OddOneOut is counted on the ${found.oddVocabulary.toLocaleString("en")} most frequent words: with all, there are more pairs than a page can count.`, { className: "note" })] : []),
    element("h2", "The same with evaluator"), element("p", "With more measures; and of several models, which one to keep:"),
    element("pre", commands.join("\n"), { className: "wrapped" }),
    element("h2", "Categories"),
    table("Scores by category", ["Category", "Known", "Words", "Topk@3", "OddOneOut@3"], found.categories.map((each) => [each.title, each.known, each.words, digits(each.topk), digits(each.oddOneOut)])),
  );
  place.dataset.result = JSON.stringify({ ...found, measures: scores, language: code, closing: place.querySelector(".note").textContent });
}

const asked = new URLSearchParams(location.search).get("language");
if (languages.has(asked)) form.elements.language.value = asked;
form.hidden = false;
prefetch();
form.elements.language.addEventListener("change", () => {
  prefetch();
  start();
});
form.elements.file.addEventListener("change", start);
form.elements.most.addEventListener("change", start);
form.addEventListener("submit", (event) => event.preventDefault());
cancel.addEventListener("click", () => stop("Cancelled."));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  if (!event.dataTransfer.files.length) return;
  form.elements.file.files = event.dataTransfer.files;
  start();
});
