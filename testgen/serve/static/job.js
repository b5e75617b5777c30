// How far a job is, as the service tells it.

const place = document.getElementById("job");
const address = `/api/v1/jobs/${place.dataset.job}`;
const FINISHED = ["done", "failed", "cancelled"];
const QUIET = 3000; // milliseconds without an event after which the page looks for itself

const events = new EventSource(`${address}/events`);
events.addEventListener("job", (event) => show(JSON.parse(event.data)));
let heard = Date.now();

// Some proxies hold events back; and after a restart of the service the stream may be gone for good.
setInterval(() => {
  if (Date.now() - heard >= QUIET) look();
}, QUIET);

async function look() {
  try {
    const response = await fetch(address);
    if (response.status === 404) location.reload(); // it says why
    else show(await response.json());
  } catch {
    write("doing", "The service does not answer; trying again.");
  }
}

function show(job) {
  heard = Date.now();
  if (FINISHED.includes(job.state)) {
    events.close();
    location.replace(location.pathname); // the page of what came of it
    return;
  }
  write("state", job.state === "queued" ? "Waiting" : document.getElementById("state").dataset.running);
  write("doing", sentence(job.doing) || (job.state === "queued" ? waiting(job.ahead) : "Beginning"));
  write("asked", job.asked.toLocaleString("en"));
  write("left", job.left.toLocaleString("en"));
  const bar = document.getElementById("progress");
  if (job.left) {
    bar.max = job.asked + job.left;
    bar.value = job.asked;
  } else {
    bar.removeAttribute("value");
  }
}

function waiting(ahead) {
  return ahead ? `Jobs before this one: ${ahead}.` : "It is next.";
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function write(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text; // what stays the same is not read out again
}
