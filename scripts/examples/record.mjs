import { catalogue } from './catalogue.mjs';
import { checkNames, checkUse } from './checks.mjs';
import { concurrent, entries, inOrder, last } from './entries.mjs';
import { headers } from './headers.mjs';
import { Masks } from './masks.mjs';
import { recordingTime, withServers } from './server.mjs';
import { usesOf } from './uses.mjs';
import { World } from './world.mjs';

/**
 * Records the examples of a contract's responses, headers and error catalogue, and sends every request example.
 *
 * @returns the recorded values, each with the `path` of keys that leads to it in the contract
 * @throws {Error} if an example has no entry, an entry has no example, or an entry receives a response for which the
 *   contract does not use the example
 */
export async function recordExamples(document) {
  const uses = usesOf(document);
  const { components } = document;
  const problems = components.schemas.ProblemCode['x-problems'];
  checkNames('example', [...uses.keys()], Object.keys(entries));
  checkNames('header', Object.keys(components.headers), Object.keys(headers));
  checkNames('error code with an example', codesWithExample(problems), Object.keys(catalogue));

  return withServers(async ({ database, start }) => {
    const masks = new Masks();
    const server = await start();
    const world = new World({ document, database, start, server, masks, entries, time: recordingTime });
    const recordings = new Map();
    const record = async (group) => {
      for (const name of Object.keys(group)) {
        const recording = await world.recorded(name);
        checkUse(name, uses.get(name), recording);
        recordings.set(name, recording);
      }
    };
    const listed = await recordCatalogue(world);
    await Promise.all([record(inOrder), record(concurrent)]);
    await record(last);
    return [...fromHeaders(components, recordings, masks), ...listed, ...fromBodies(uses, recordings, masks)];
  });
}

function codesWithExample(problems) {
  return Object.keys(problems).filter((code) => problems[code].example !== undefined);
}

async function recordCatalogue(world) {
  const values = [];
  for (const [code, request] of Object.entries(catalogue)) {
    const { body } = await request(world);
    if (body.code !== code) throw new Error(`The entry for the error code ${code} received ${body.code}.`);
    const { detail, instance } = world.masks.body(body);
    const path = ['components', 'schemas', 'ProblemCode', 'x-problems', code, 'example'];
    values.push({ path, value: { detail, instance } });
  }
  return values;
}

function fromHeaders(components, recordings, masks) {
  return Object.entries(headers).map(([name, [example, header]]) => {
    const text = masks.headers(recordings.get(example).headers)[header];
    if (text === undefined) throw new Error(`The response ${example} has no header ${header}.`);
    const { type } = components.headers[name].schema;
    const value = type === 'integer' ? Number(text) : text;
    return { path: ['components', 'headers', name, 'example'], value };
  });
}

function fromBodies(uses, recordings, masks) {
  return [...recordings]
    .filter(([name]) => uses.get(name).responses.length > 0)
    .map(([name, { body }]) => ({
      path: ['components', 'examples', name, 'value'],
      value: masks.body(body),
    }));
}
