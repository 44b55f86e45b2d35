import { postgresqlHosts } from '../../../src/platform/config/postgresql-hosts.js';
import t from '../../support/tap.js';

const readWrite = '?target_session_attrs=read-write';

t.test('a URL with one host is unchanged', async (t) => {
  for (const url of [
    'postgres://people@db.internal/people',
    'postgresql://people:p%40ss@[::1]:5433/people?sslmode=verify-full',
    'postgres://people:a,b@db.internal/people?options=-c%20a%3D1,2',
    'postgres:///people?host=/run/postgresql',
    `postgres://db.internal${readWrite}`,
  ])
    t.same(postgresqlHosts(url), [url]);
});

t.test('several hosts become one URL each, with the same user, database and parameters', async (t) => {
  const end = `/people${readWrite}&sslmode=require`;
  t.same(postgresqlHosts(`postgres://u:p,q@a:6432,b.example,[::1],[fe80::2]:5433,10.0.0.1:1${end}`), [
    `postgres://u:p,q@a:6432${end}`,
    `postgres://u:p,q@b.example${end}`,
    `postgres://u:p,q@[::1]${end}`,
    `postgres://u:p,q@[fe80::2]:5433${end}`,
    `postgres://u:p,q@10.0.0.1:1${end}`,
  ]);
  t.same(postgresqlHosts('postgresql://a,b?target_session_attrs=primary'), [
    'postgresql://a?target_session_attrs=primary',
    'postgresql://b?target_session_attrs=primary',
  ]);
});

t.test('an empty host, an invalid port and an IPv6 address without brackets are invalid', async (t) => {
  for (const hosts of ['a,', ',a', 'a,,b', 'a:,b', 'a:x,b', 'a:65536,b', '::1,b', '[::1,b', '[],b', 'a b,c'])
    t.equal(postgresqlHosts(`postgres://u@${hosts}/people${readWrite}`), undefined, hosts);
});

t.test('several hosts require target_session_attrs to be read-write or primary', async (t) => {
  for (const query of ['', '?target_session_attrs=any', '?target_session_attrs=prefer-standby', '?sslmode=x'])
    t.equal(postgresqlHosts(`postgres://a,b/people${query}`), undefined, query);
});
