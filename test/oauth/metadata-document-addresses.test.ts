import { isMetadataDocumentUrl } from '../../src/oauth/clients/metadata-document.js';
import { MetadataDocumentFetcher } from '../../src/oauth/clients/metadata-document-fetch.js';
import { sendOutgoingRequest } from '../../src/platform/network/outgoing-request.js';
import { privateHosts, rejectedHosts } from '../support/network/private-hosts.js';
import { needsOpenssl, startDocumentServer } from '../support/oauth/document-server.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';
import { listenOnLoopback } from '../support/webhooks/loopback.js';
import { startNameServer } from '../support/webhooks/name-server.js';

const development = new MetadataDocumentFetcher({ allowLocal: true });
const production = new MetadataDocumentFetcher({ allowLocal: false });
const fetchers = [development, production];
const [publicAddress, loopback] = ['93.184.215.14', '127.0.0.1'];
const notPublic = 'The metadata document of the application cannot be read. Its host has no public address.';
const notUrl = 'A client_id that is a URL must start with https://, and have a domain name and a path.';

/** URLs that reach this machine or its network in some parser, with `{port}` for the port of a listener. */
const otherUrls = [
  // Other schemes.
  ...[
    'http',
    'ftp',
    'ws',
    'wss',
    'file',
    'gopher',
    'dict',
    'ldap',
    'tftp',
    'jar:https',
    'view-source:https',
  ].map((scheme) => `${scheme}://127.0.0.1:{port}/a`),
  'file:///etc/passwd',
  'data:application/json,{}',
  'javascript:alert(1)',
  'blob:https://client.example/a',
  'unix:/var/run/docker.sock',
  // No scheme, and slashes that parsers add or replace.
  '//127.0.0.1:{port}/a',
  '127.0.0.1:{port}/a',
  'https:127.0.0.1:{port}/a',
  'https:/127.0.0.1:{port}/a',
  'https:///127.0.0.1:{port}/a',
  'https:\\\\127.0.0.1:{port}\\a',
  'https://client.example\\@127.0.0.1:{port}/a',
  'https://127.0.0.1:{port}\\@client.example/a',
  'https://127.0.0.1:{port}#@client.example/a',
  'https://127.0.0.1:{port}?@client.example/a',
  'https://client.example:443@127.0.0.1:{port}/a',
  'https://client.example%40127.0.0.1:{port}/a',
  'https://client.example&@127.0.0.1:{port}/a',
  'https://a@b@127.0.0.1:{port}/a',
  // Characters that parsers remove.
  'https://127.0\t.0.1:{port}/a',
  'https://127.0\n.0.1:{port}/a',
  'https://127.0.0.1\r\n:{port}/a',
  'https://127.0.0.1\0.client.example:{port}/a',
  'https://127.0.0.1%00.client.example:{port}/a',
  'https://127.0.0.1%20:{port}/a',
  'https://127.0.0.1 .client.example:{port}/a',
  'https://client.example:{port}/a HTTP/1.1\r\nHost: localhost',
  'https://loc\u00adalhost:{port}/a',
  'https://loc\u200balhost:{port}/a',
  // Names that end with a dot, and dots of other scripts.
  'https://localhost.:{port}/a',
  'https://client.localhost.:{port}/a',
  'https://client\u3002localhost:{port}/a',
  'https://client\uff0elocalhost:{port}/a',
  'https://client\uff61localhost:{port}/a',
  'https://CLIENT.LOCALHOST:{port}/a',
  'https://xn--127-:{port}/a',
  // Ports that wrap around or are added.
  'https://127.0.0.1:0{port}/a',
  'https://127.0.0.1:+{port}/a',
  'https://127.0.0.1:{port}:443/a',
];

/** Names of services with credentials or settings, in the networks of cloud providers. */
const metadataNames = [
  'metadata.google.internal',
  'metadata.goog',
  'instance-data.ec2.internal',
  'metadata.azure.internal',
  'kubernetes.default.svc.cluster.local',
  'host.docker.internal',
  'rancher-metadata.example',
  '169.254.169.254.nip.example',
  '127.0.0.1.nip.example',
  'localtest.example',
];

/** Addresses of names in the DNS, each of which is not public. */
const privateAddresses = [
  ...['127.0.0.1', '127.0.0.53', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255'],
  ...['100.64.0.1', '100.100.100.200', '169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1'],
  ...[
    '172.31.255.255',
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '192.168.255.255',
  ],
  ...[
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
  ],
  ...[
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::7f00:1',
    '100::1',
    '2001::1',
    '2001:0:7f00:1::',
    '2001:2::1',
    '2001:db8::1',
  ],
  ...['2002:7f00:1::', '2002:a9fe:a9fe::1', '3fff::1', '5f00::1', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254'],
  ...['fe80::1', 'fe80::a9fe:a9fe', 'febf::1', 'fec0::1', 'ff02::1', 'ff05::1'],
];

t.test('no notation of a private host is the URL of a document, and none is connected to', async (t) => {
  const listener = await listenOnLoopback(t);
  const hosts = [...privateHosts, ...rejectedHosts].map((host) => `https://${host}:{port}/client.json`);
  const urls = [...hosts, ...otherUrls].map((url) => url.replace('{port}', String(listener.port)));
  t.ok(urls.length >= 60, `${urls.length} URLs`);
  for (const url of urls) {
    t.notOk(isMetadataDocumentUrl(url), JSON.stringify(url));
    for (const fetcher of fetchers)
      await t.rejects(
        fetcher.fetch(url),
        { name: 'MetadataDocumentError', message: notUrl },
        JSON.stringify(url),
      );
  }
  t.equal(listener.connections, 0);
});

t.test('the connection rejects literal addresses too, without the rules for URLs', async (t) => {
  const listener = await listenOnLoopback(t);
  const urls = privateHosts
    .map((host) => `https://${host}:${listener.port}/`)
    .filter((url) => URL.canParse(url));
  t.ok(urls.length >= 60, `${urls.length} URLs`);
  const options = { method: 'GET', headers: {}, allowPrivate: false, maximumBytes: 100 };
  for (const url of urls)
    await t.rejects(
      sendOutgoingRequest(new URL(url), options),
      { name: /^(PrivateAddressError|UnresolvedHostError)$/ },
      url,
    );
  t.equal(listener.connections, 0);
});

t.test('a name with a private address is rejected, alone or next to a public one', async (t) => {
  const listener = await listenOnLoopback(t);
  let addresses: readonly string[] = [];
  await startNameServer(t, () => addresses);
  t.ok(isMetadataDocumentUrl('https://client.example/client.json'));
  t.ok(privateAddresses.length >= 45, `${privateAddresses.length} addresses`);
  for (const [number, address] of privateAddresses.entries())
    for (addresses of [[address], number % 2 === 0 ? [publicAddress, address] : [address, publicAddress]])
      for (const fetcher of fetchers)
        await t.rejects(
          fetcher.fetch(`https://client-${number}.example:${listener.port}/client.json`),
          // The sentence does not show whether the name was resolved.
          { name: 'MetadataDocumentError', message: notPublic, cause: { name: 'PrivateAddressError' } },
          addresses.join(', '),
        );
  addresses = [loopback];
  for (const name of metadataNames)
    for (const fetcher of fetchers)
      await t.rejects(fetcher.fetch(`https://${name}:${listener.port}/a`), { message: notPublic }, name);
  t.equal(listener.connections, 0);
});

t.test('a name without addresses looks like one with a private address', async (t) => {
  await startNameServer(t, () => []);
  for (const fetcher of fetchers)
    await t.rejects(fetcher.fetch('https://client.example/client.json'), { message: notPublic });
});

t.test('names of this machine are rejected in production', async (t) => {
  const listener = await listenOnLoopback(t);
  const nameServer = await startNameServer(t, () => [publicAddress]);
  for (const host of ['client.localhost', 'a.b.localhost', '127-0-0-1.localhost'])
    await t.rejects(
      production.fetch(`https://${host}:${listener.port}/client.json`),
      { name: 'MetadataDocumentError', message: notPublic },
      host,
    );
  t.equal(nameServer.queries, 0, 'the DNS has no say in them');
  t.equal(listener.connections, 0);
});

t.test('a connection uses the checked addresses, without another lookup', async (t) => {
  const listener = await listenOnLoopback(t);
  const nameServer = await startNameServer(t, (number) => [number === 0 ? publicAddress : loopback]);
  const controller = new AbortController();
  const reason = new Error('The test has seen enough');
  let hasEnded = false;
  const url = `https://rebinding.example:${listener.port}/client.json`;
  const fetched = production.fetch(url, { signal: controller.signal }).catch((error: Error) => {
    hasEnded = true;
    return error;
  });
  // Until it connects, or cannot.
  await until(() => hasEnded || process.getActiveResourcesInfo().includes('TCPConnectWrap'));
  controller.abort(reason);
  t.ok((await fetched) instanceof Error);
  t.equal(nameServer.queries, 1, 'one lookup');
  await t.rejects(production.fetch(url), { message: notPublic }, 'the next request looks the name up again');
  t.equal(nameServer.queries, 2);
  t.equal(listener.connections, 0);
});

t.test('no redirect is followed, with any status and to any address', needsOpenssl, async (t) => {
  const listener = await listenOnLoopback(t);
  const server = await startDocumentServer(t);
  let count = 0;
  for (const status of [300, 301, 302, 303, 304, 305, 307, 308])
    for (const location of [
      `http://127.0.0.1:${listener.port}/`,
      `https://[::1]:${listener.port}/`,
      `//localhost:${listener.port}/`,
      server.url,
      '/other.json',
    ]) {
      server.respond = (response) =>
        response.writeHead(status, { location, refresh: `0;url=${location}` }).end();
      await t.rejects(development.fetch(server.url), {
        name: 'MetadataDocumentError',
        message: /redirect/,
      });
      count += 1;
    }
  t.equal(server.requests.length, count);
  t.equal(listener.connections, 0);
});

t.test('URLs in a document are not requested', needsOpenssl, async (t) => {
  const listener = await listenOnLoopback(t);
  const server = await startDocumentServer(t);
  const local = `http://localhost:${listener.port}/`;
  for (const member of [
    'logo_uri',
    'jwks_uri',
    'policy_uri',
    'tos_uri',
    'sector_identifier_uri',
    'software_id',
  ])
    server.document[member] = local;
  server.document.redirect_uris = [local];
  server.headers = { link: `<${local}>; rel=preload` };
  const { document } = await development.fetch(server.url);
  t.same(document.redirectUris, [local]);
  t.equal(listener.connections, 0);
  t.equal(server.requests.length, 1);
});
