// The progress of a job, as the service reports it.

const url = `${document.documentElement.dataset.root}/api/v1/jobs/${document.getElementById("job").dataset.job}`;
const FINISHED = ["done", "failed", "cancelled"];
const QUIET = 3000; // milliseconds without an event after which the page asks itself

const events = new EventSource(`${url}/events`);
events.addEventListener("job", (event) => show(JSON.parse(event.data)));
let lastEvent = Date.now();

// Some proxies delay events, and after a restart of the service the stream may not come back.
setInterval(() => {
  if (Date.now() - lastEvent >= QUIET) poll();
}, QUIET);

async function poll() {
  try {
    const response = await fetch(url);
    if (response.status === 404) location.reload(); // the page says why
    else show(await response.json());
  } catch {
    write("doing", "The service does not answer; trying again.");
  }
}

function show(job) {
  lastEvent = Date.now();
  if (FINISHED.includes(job.state)) {
    events.close();
    location.replace(location.pathname); // the page of the result
    return;
  }
  write("state", job.state === "queued" ? "Waiting" : document.getElementById("state").dataset.running);
  write("doing", sentence(job.doing) || (job.state === "queued" ? waiting(job.ahead) : "Starting"));
  write("asked", job.asked.toLocaleString("en"));
  write("left", job.left.toLocaleString("en"));
  write("time", job.seconds === null ? "unknown" : timeOf(job.seconds));
  if (job.asked) document.getElementById("progress").value = job.share;
}

function timeOf(seconds) {
  return seconds > 90 ? `about ${Math.floor(seconds / 60)} min` : `about ${seconds} s`;
}

function waiting(ahead) {
  return ahead ? `Jobs before this one: ${ahead}.` : "It is next.";
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function write(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text; // screen readers do not read an unchanged text again
}
