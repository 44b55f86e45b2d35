import { parseOptions, verify } from '@node-rs/argon2';
import { checkPassword, hashPassword } from '../../src/services/passwords.js';
import { passwordError } from '../../src/services/user-rules.js';
import t from '../support/tap.js';

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
    t.equal(await passwordError(password), 'must not be easy to guess', password);
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
    t.equal(await passwordError(password), undefined, password);
  }
  t.match(await passwordError('xkqmpvltzrn'), /at least 12/);
  t.match(await passwordError('x'.repeat(1025)), /at most 1024/);
});

t.test('examines the first 32 characters of a password, so that the time is bounded', async (t) => {
  const random = 'xkqmpvltzrnw';
  for (const unit of ['1', 'abc1', 'password', '2019']) {
    const repeated = unit.repeat(32);
    t.equal(
      await passwordError(`${repeated.slice(0, 32)}${random.repeat(80)}`),
      'must not be easy to guess',
      unit,
    );
    t.equal(await passwordError(`${repeated.slice(0, 20)}${random}`), undefined, `${unit}: the 32nd counts`);
  }
});

t.test('an unknown address takes as many hashes, of the same parameters, as a wrong password', async (t) => {
  const stored = await hashPassword('correct horse battery staple');
  const work = async (hash: string | null, password: string) => {
    const hashes: string[] = [];
    const compare = (hashed: string, text: string) => {
      hashes.push(hashed);
      return verify(hashed, text);
    };
    t.same(await checkPassword(hash, password, compare), { matches: false, outdated: false });
    return hashes.map((hashed) => parseOptions(hashed));
  };
  // The second one is not composed, so that two hashes are computed.
  for (const [password, count] of [
    ['wrong', 1],
    ['wronge\u0301', 2],
  ] as const) {
    const ofKnown = await work(stored, password);
    t.equal(ofKnown.length, count);
    t.same(await work(null, password), ofKnown);
  }
});
