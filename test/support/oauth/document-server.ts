import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import type { Test } from '../tap.js';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

/** Option of a test that needs certificates. */
export const needsOpenssl = {
  skip: spawnSync('openssl', ['version']).status !== 0 && 'openssl is not installed',
};

/** A server with metadata documents, whose responses a test controls. */
export interface DocumentServer {
  /** `https://client.localhost` and the port. */
  readonly origin: string;
  /** URL of the document, which is its `client_id`. */
  readonly url: string;
  /** The requests, in their order. */
  readonly requests: readonly IncomingMessage[];
  /** The document of the default response. */
  document: Record<string, unknown>;
  /** Headers of the default response, besides `content-type`. */
  headers: Record<string, string>;
  /** Replaces the response. */
  respond: Respond;
}

/**
 * Starts an HTTPS server on this machine, with a valid document of a public client. This process trusts its certificate until
 * the test ends.
 *
 * @param trusted whether the certificate is trusted
 * @param certified the host for which the certificate is
 */
export async function startDocumentServer(
  t: Test,
  { trusted = true, certified = 'client.localhost' }: { trusted?: boolean; certified?: string } = {},
): Promise<DocumentServer> {
  const { cert, key } = certificateOf(certified, trusted);
  if (trusted) trust(t, cert);
  const requests: IncomingMessage[] = [];
  const server = createServer({ cert, key, keepAliveTimeout: 0 }, (request, response) => {
    requests.push(request);
    documents.respond(response, request);
  });
  // Clients close connections during the handshake when they do not trust the certificate.
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `https://client.localhost:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/oauth/client.json`;
  const documents: DocumentServer = {
    origin,
    url,
    requests,
    document: {
      client_id: url,
      client_name: 'Planner',
      client_uri: origin,
      redirect_uris: [`${origin}/callback`, 'http://localhost/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    headers: {},
    respond: (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...documents.headers })
        .end(JSON.stringify(documents.document)),
  };
  return documents;
}

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const certificates = new Map<string, Certificate>();

/** The servers of a process share certificates, because creating one starts a process. One is either always or never trusted. */
function certificateOf(host: string, trusted: boolean): Certificate {
  const name = `${host} ${trusted}`;
  const certificate = certificates.get(name) ?? createCertificate(host);
  certificates.set(name, certificate);
  return certificate;
}

function createCertificate(host: string): Certificate {
  const directory = mkdtempSync(path.join(tmpdir(), 'certificate-'));
  try {
    const [certFile, keyFile] = [path.join(directory, 'cert'), path.join(directory, 'key')];
    const { status, stderr } = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`],
      ...['-keyout', keyFile, '-out', certFile],
    ]);
    if (status !== 0) throw new Error(String(stderr));
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Adds a certificate to those that this process trusts. Node.js 20 reads them only when it starts. */
function trust(t: Test, certificate: string): void {
  const { createSecureContext } = tls;
  t.intercept(tls, 'createSecureContext', {
    value: (options: tls.SecureContextOptions) => {
      const secureContext = createSecureContext(options);
      secureContext.context.addCACert(certificate);
      return secureContext;
    },
  });
}
