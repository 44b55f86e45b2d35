import { hash, parseOptions, verify } from '@node-rs/argon2';
import {
  concurrentHashes,
  hashPassword,
  maximumPasswordLength,
  Passwords,
} from '../../../src/platform/accounts/passwords.js';
import { passwordError } from '../../../src/platform/accounts/user-rules.js';
import { ruleText } from '../../../src/platform/problems/rule-texts.js';
import t from '../../support/tap.js';

/** The sentence of the error of a password; `undefined` without one. */
async function passwordErrorText(password: string): Promise<string | undefined> {
  const violation = await passwordError(password);
  return violation && ruleText(violation);
}

t.test('rejects a password that is easily guessed, however long it is', async (t) => {
  for (const password of [
    'passwordpassword',
    'Password1234',
    'P@ssw0rd1234',
    'qwertyuiop12',
    '123456789012',
    'aaaaaaaaaaaaaaaaaaaa',
    'abcdefghijklmnop',
    'iloveyou1234',
  ]) {
    t.equal(await passwordErrorText(password), 'must not be easy to guess', password);
  }
});

t.test('accepts any other password of at least twelve characters, without rules on them', async (t) => {
  for (const password of [
    'correct horse battery staple',
    'vier zufällige wörter',
    'xkqmpvltzrnw',
    '８３０１９２７４６５８１',
    '猫が屋根の上で魚を食べている',
  ]) {
    t.equal(await passwordErrorText(password), undefined, password);
  }
  t.match(await passwordErrorText('xkqmpvltzrn'), /at least 12/);
  t.match(await passwordErrorText('x'.repeat(1025)), /at most 1024/);
});

t.test('examines the first 32 characters of a password, so that the time is bounded', async (t) => {
  const random = 'xkqmpvltzrnw';
  for (const unit of ['1', 'password']) {
    const repeated = unit.repeat(32);
    t.equal(
      await passwordErrorText(`${repeated.slice(0, 32)}${random.repeat(80)}`),
      'must not be easy to guess',
      unit,
    );
    t.equal(
      await passwordErrorText(`${repeated.slice(0, 20)}${random}`),
      undefined,
      `${unit}: the 32nd counts`,
    );
  }
});

const request = { address: '192.0.2.1', signal: new AbortController().signal };

/** Passwords that count the hashes they compute, and the times they wait instead. */
function counted() {
  const compared: string[] = [];
  const count = { hashed: 0, waited: 0 };
  const passwords = new Passwords({
    argon2: {
      verify: (hashed, text) => {
        compared.push(String(hashed));
        return verify(hashed, text);
      },
      hash: (...given) => {
        count.hashed += 1;
        return hash(...given);
      },
    },
    wait: async () => {
      count.waited += 1;
    },
  });
  return { passwords, compared, count };
}

/** A hash as earlier versions computed it: of the text as entered. */
const rawHash = (password: string) => hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });

const decomposed = 'correct horse cafe\u0301 staple';
const composed = decomposed.normalize('NFC');

t.test(
  'an unknown address takes as long as a wrong password, with hashes of the same parameters',
  async (t) => {
    const work = async (stored: string | null, password: string) => {
      const { passwords, compared, count } = counted();
      t.same(await passwords.check(stored, password, request), { matches: false, replacement: null });
      t.equal(count.hashed, 0);
      const { waited } = count;
      return { parameters: compared.map((hashed) => parseOptions(hashed)), hashes: compared.length, waited };
    };
    const [recorded, unrecorded] = [await hashPassword(composed), await rawHash(composed)];
    const { parameters } = await work(recorded, 'wrong');
    for (const stored of [recorded, unrecorded, null]) {
      t.same(await work(stored, 'wrong'), { parameters, hashes: 1, waited: 0 });
    }
    for (const stored of [recorded, null]) {
      t.same(
        await work(stored, 'wronge\u0301'),
        { parameters, hashes: 1, waited: 1 },
        'one wait is one hash',
      );
    }
    t.match(await work(unrecorded, 'wronge\u0301'), { hashes: 2, waited: 0 });
    const tooLong = 'e\u0301'.repeat(maximumPasswordLength);
    for (const stored of [recorded, unrecorded, null]) {
      t.same(
        await work(stored, tooLong),
        { parameters, hashes: 1, waited: 0 },
        'only the composed form fits',
      );
    }
  },
);

t.test('a password whose hash records its form takes one hash in any form', async (t) => {
  const stored = await hashPassword(decomposed);
  for (const typed of [composed, decomposed]) {
    const { passwords, compared, count } = counted();
    t.same(await passwords.check(stored, typed, request), { matches: true, replacement: null });
    t.same([compared.length, count], [1, { hashed: 0, waited: 0 }]);
  }
});

t.test(
  'a hash without a recorded form matches either form, and its replacement records the form',
  async (t) => {
    for (const { hashed, typed, hashes } of [
      { hashed: composed, typed: composed, hashes: 0 },
      { hashed: composed, typed: decomposed, hashes: 0 },
      { hashed: decomposed, typed: decomposed, hashes: 1 },
    ]) {
      const { passwords, count } = counted();
      const stored = await rawHash(hashed);
      const { matches, replacement } = await passwords.check(stored, typed, request);
      t.equal(matches, true);
      t.equal(count.hashed, hashes, 'a hash of the normalized form is kept');
      for (const form of [composed, decomposed]) {
        t.same(await passwords.check(replacement, form, request), { matches: true, replacement: null });
      }
      t.equal(await verify(String(replacement), composed), true, 'earlier versions accept it');
    }
  },
);

t.test('two threads of the pool stay free of hashes, and at least one computes them', (t) => {
  const sizes = [undefined, '1', '2', '3', '4', '16', 'x', ''];
  t.same(
    sizes.map((size) => concurrentHashes(size)),
    [2, 1, 1, 1, 2, 14, 1, 1],
  );
  t.end();
});
