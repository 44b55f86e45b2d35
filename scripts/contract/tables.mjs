/** Changes in the tables of the contract that Redocly does not look into: scopes, and the catalogue of problems. */
export function tableChanges(released, contract) {
  return [...scopeChanges(released, contract), ...problemChanges(released, contract)];
}

function* scopeChanges(released, contract) {
  const { flows: before } = released.components.securitySchemes.oauth2;
  const { flows: after } = contract.components.securitySchemes.oauth2;
  for (const [flow, { scopes }] of Object.entries(before)) {
    const now = after[flow]?.scopes ?? {};
    const at = `#/components/securitySchemes/oauth2/flows/${flow}/scopes`;
    for (const scope of missing(scopes, now)) {
      yield { impact: 'breaking', at, message: `Scope \`${scope}\` was removed.`, names: [] };
    }
    for (const scope of missing(now, scopes)) {
      yield { impact: 'additive', at, message: `Scope \`${scope}\` was added.`, names: [scope] };
    }
  }
}

// Programs decide by these; the other members are prose.
const fixedMembers = ['status', 'title', 'oauth_error'];

function* problemChanges(released, contract) {
  const before = released.components.schemas.ProblemCode['x-problems'];
  const after = contract.components.schemas.ProblemCode['x-problems'];
  const table = '#/components/schemas/ProblemCode/x-problems';
  for (const code of missing(before, after)) {
    yield { impact: 'breaking', at: table, message: `Code \`${code}\` was removed.`, names: [] };
  }
  for (const code of missing(after, before)) {
    yield { impact: 'additive', at: table, message: `Code \`${code}\` was added.`, names: [code] };
  }
  for (const [code, problem] of Object.entries(after)) {
    for (const member of fixedMembers) {
      const was = before[code]?.[member];
      if (!(code in before) || problem[member] === was) continue;
      const change = `${JSON.stringify(was)} to ${JSON.stringify(problem[member])}`;
      const at = `${table}/${code}/${member}`;
      yield { impact: 'breaking', at, message: `\`${member}\` changed from ${change}.`, names: [] };
    }
  }
}

function missing(from, to) {
  return Object.keys(from).filter((name) => !(name in to));
}
