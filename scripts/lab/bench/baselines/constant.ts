// The cost of the HTTP server of Node.js alone: responds with the same bytes to every request.
import http from 'node:http';

const body = Buffer.from(process.env.BODY ?? '', 'base64');
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };

http
  .createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
