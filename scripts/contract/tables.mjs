import { escapeSegment } from './pairs.mjs';

/** Changes in the tables that Redocly does not compare: scopes, and the catalogue of problems. */
export function tableChanges(released, contract) {
  return [...scopeChanges(released, contract), ...problemChanges(released, contract)];
}

const schemes = '#/components/securitySchemes';

function* scopeChanges(released, contract) {
  for (const [scheme, { flows = {} }] of Object.entries(released.components.securitySchemes ?? {})) {
    const after = contract.components.securitySchemes?.[scheme]?.flows ?? {};
    for (const [flow, { scopes }] of Object.entries(flows)) {
      if (flow in after)
        yield* changesOfScopes(scopes, after[flow].scopes, `${schemes}/${scheme}/flows/${flow}/scopes`);
    }
  }
}

function* changesOfScopes(before, after, at) {
  for (const scope of missing(before, after)) {
    yield { impact: 'breaking', at, message: `Scope \`${scope}\` was removed.`, names: [] };
  }
  for (const scope of missing(after, before)) {
    yield { impact: 'additive', at, message: `Scope \`${scope}\` was added.`, names: [scope] };
  }
  for (const scope of Object.keys(after).filter((name) => name in before && before[name] !== after[name])) {
    const message = `The description of scope \`${scope}\` changed.`;
    yield { impact: 'editorial', at: `${at}/${escapeSegment(scope)}`, message, names: [] };
  }
}

// Programs depend on these. The other members are text.
const fixedMembers = new Set(['status', 'title', 'oauth_error', 'oauth_status']);

function* problemChanges(released, contract) {
  const [before, after] = [released, contract].map(
    ({ components }) => components.schemas.ProblemCode?.['x-problems'] ?? {},
  );
  const table = '#/components/schemas/ProblemCode/x-problems';
  for (const code of missing(before, after)) {
    yield { impact: 'breaking', at: table, message: `Code \`${code}\` was removed.`, names: [] };
  }
  for (const code of missing(after, before)) {
    yield { impact: 'additive', at: table, message: `Code \`${code}\` was added.`, names: [code] };
  }
  for (const code of Object.keys(after).filter((name) => name in before)) {
    for (const member of Object.keys({ ...before[code], ...after[code] })) {
      const [was, is] = [before, after].map((problems) => JSON.stringify(problems[code][member]));
      if (was === is) continue;
      const impact = fixedMembers.has(member) ? 'breaking' : 'editorial';
      const message = `\`${member}\` changed from ${was} to ${is}.`;
      yield { impact, at: `${table}/${code}/${member}`, message, names: [] };
    }
  }
}

function missing(from, to) {
  return Object.keys(from).filter((name) => !(name in to));
}
