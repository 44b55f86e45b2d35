// Loaded into the server before its own code: tells the trial which time limits its connections have.
import http from 'node:http';

const { createServer } = http;
let server;

http.createServer = (...args) => {
  server = createServer(...args);
  return server;
};

process.on('message', () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server;
  process.send({ headersTimeout, requestTimeout, keepAliveTimeout, timeout });
});
