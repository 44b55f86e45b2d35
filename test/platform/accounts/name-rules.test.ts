import { emailFormRule, emailRule } from '../../../src/platform/accounts/user-rules.js';
import t from '../../support/tap.js';

t.test('an e-mail address has no invisible, full-width or other compatibility characters', async (t) => {
  for (const email of [
    'ad\u200ba@x.example',
    'ada\u200d@x.example',
    'ad\u00ada@x.example',
    'ada\u202e@x.example',
    'ada@x\u2060.example',
    'ada@x.example\ufeff',
    '\uff41da@x.example',
    'ada@\uff58.example',
    'ada\uff20x.example',
    'ada@x\uff0eexample',
    '\ufb01a@x.example',
    'ada\u3164@x.example',
    'ad\ue000a@x.example',
    'ad\u0001a@x.example',
  ])
    t.type(emailRule(email), 'object', encodeURIComponent(email));
});

t.test(
  'the domain of an e-mail address is ASCII, or an internationalized name in canonical form',
  async (t) => {
    for (const domain of [
      'x\u3002bücher.example',
      'bücher.example:25',
      'bücher.example/x',
      'b%C3%BCü.example',
    ])
      t.type(emailRule(`ada@${domain}`), 'object', domain);
    for (const domain of ['x.example', 'X.example', 'xn--bcher-kva.example', 'localhost', '[192.0.2.1]'])
      t.equal(emailRule(`ada@${domain}`), undefined, domain);
    for (const domain of [
      'bücher.example',
      'Bücher.example',
      'bu\u0308cher.example',
      'faß.example',
      '例え.jp',
    ])
      t.equal(emailRule(`zoë.李@${domain}`), undefined, domain);
  },
);

t.test('a mailbox has no other spelling that gets the same mail', async (t) => {
  for (const domain of ['x.example', 'bücher.example']) {
    for (const email of [
      `ada@${domain}.`,
      `ada@${domain}>`,
      `ada@<${domain}`,
      `<ada@${domain}`,
      `a<da@${domain}`,
      `"ada"@${domain}`,
      `"a\\da"@${domain}`,
      `ada(work)@${domain}`,
      `ada@${domain}(work)`,
      `ada@(work)${domain}`,
      `ada@${domain};`,
      `ada,@${domain}`,
      `ada@${domain}:25`,
      `ada@${domain}/`,
      `ada@.${domain}`,
    ])
      t.type(emailRule(email), 'object', email);
    for (const email of [`ada.o'neil+work@${domain}`, `ada/b=c@${domain}`, `{a}@${domain}`])
      t.equal(emailRule(email), undefined, email);
  }
});

t.test('an address that was stored before the rule can be looked up', async (t) => {
  t.equal(emailFormRule('ad\u200ba@\uff58.example'), undefined);
  t.type(emailFormRule('ada'), 'object');
});
