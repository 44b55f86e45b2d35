import { networkOf, siteOf } from '../../../src/platform/network/network-of-address.js';
import t from '../../support/tap.js';

t.test('an IPv4 address counts by itself, however it is written', async (t) => {
  t.equal(networkOf('203.0.113.7'), '203.0.113.7');
  t.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7');
  t.equal(networkOf('::ffff:cb00:7107'), '203.0.113.7');
});

t.test('an IPv6 address counts by its /64 network', async (t) => {
  const network = networkOf('2001:db8:0:7::1');
  for (const address of ['2001:DB8::7:0:0:0:9', '2001:db8:0:7:ffff:ffff:ffff:ffff']) {
    t.equal(networkOf(address), network, address);
  }
  for (const address of ['2001:db8:0:8::1', '2001:db9:0:7::1', '::1', 'fe80::1%eth0']) {
    t.not(networkOf(address), network, address);
  }
  t.equal(networkOf('fe80::1%eth0'), networkOf('fe80::2%eth0'));
});

t.test('text that is not an address counts unchanged', async (t) => {
  for (const text of ['', 'unknown', '1.2.3.4.5', '_hidden']) t.equal(networkOf(text), text);
});

t.test('an IPv6 address has a /48 network, and an IPv4 address has none', async (t) => {
  const site = siteOf('2001:db8:0:7::1');
  t.equal(siteOf('2001:DB8:0:ffff::9'), site);
  t.not(siteOf('2001:db8:1:7::1'), site);
  for (const address of ['203.0.113.7', '::ffff:203.0.113.7', 'unknown']) t.equal(siteOf(address), undefined);
});
