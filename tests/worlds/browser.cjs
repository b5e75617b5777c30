// Scores files as the page of the service does: its worker runs here, told of each file by a line of JSON.

const { readFileSync } = require("node:fs");
const { openAsBlob } = require("node:fs");
const readline = require("node:readline");
const vm = require("node:vm");

const [, , script, foldingFile] = process.argv;
const source = readFileSync(script, "utf8"), folding = JSON.parse(readFileSync(foldingFile, "utf8"));

// A worker, and the messages that it answers.
function worker(answered) {
  const shared = { TextDecoder, performance, DecompressionStream, BigInt, postMessage: answered, onmessage: null };
  const context = vm.createContext(shared);
  vm.runInContext(source, context);
  return (data) => context.onmessage({ data });
}

async function score({ path, name, testSet, most, helpers }) {
  let found = null;
  const main = worker((message) => { if (message.result || message.problem) found = message; });
  const channels = Array.from({ length: helpers }, () => new MessageChannel());
  for (const { port1 } of channels) worker(() => {})({ first: port1 });
  if (helpers) main({ helpers: channels.map(({ port2 }) => port2) });
  const blob = await openAsBlob(path);
  const file = { name, stream: () => blob.stream(), slice: (start, end) => blob.slice(start, end) };
  await main({ file, testSet, folding, most });
  for (const { port1 } of channels) port1.close();
  return found;
}

readline.createInterface({ input: process.stdin }).on("line", async (line) => {
  process.stdout.write(`${JSON.stringify(await score(JSON.parse(line)))}\n`);
});
