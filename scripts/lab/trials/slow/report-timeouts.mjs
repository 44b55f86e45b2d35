// Loaded into the server before its own code. Reports the timeouts of its connections to the trial.
import http from 'node:http';

const { createServer } = http;
/** @type {http.Server | undefined} */
let server;

/** @param {any[]} args */
http.createServer = (...args) => {
  server = createServer(...args);
  return server;
};

process.on('message', () => {
  const { headersTimeout, requestTimeout } = server ?? {};
  process.send?.({ headersTimeout, requestTimeout });
});
