/**
 * Reduces the contract to what the console can do.
 *
 * @param signIn scopes of the application that users sign in with; absent when they paste a token
 */
export function prepareContract(contract, signIn) {
  const { securitySchemes, parameters } = contract.components;
  if (signIn === undefined) delete securitySchemes.oauth2;
  else restrictFlows(securitySchemes.oauth2, signIn.scopes);
  securitySchemes.access_token = {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token that you already have, such as one of your own application.',
  };
  // The reference has the chapters, which are tags without operations, and the descriptions of the others.
  contract.tags = contract.tags.filter((tag) => !tag['x-traitTag']).map(({ name }) => ({ name }));
  for (const secured of [contract, ...Object.values(contract.paths).flatMap(Object.values)]) {
    if (secured.security?.length > 0) secured.security = alternatives(secured.security, signIn);
  }
  for (const parameter of Object.values(parameters)) leaveEmpty(parameter);
  leaveOutObjects(contract);
  return contract;
}

/** Keeps the flow of users, with the scopes of the application. */
function restrictFlows(scheme, names) {
  const { authorizationCode } = scheme.flows;
  const scopes = Object.entries(authorizationCode.scopes).filter(([name]) => names.includes(name));
  scheme.description = 'Sign in with your account, and allow the console to use these scopes.';
  scheme.flows = { authorizationCode: { ...authorizationCode, scopes: Object.fromEntries(scopes) } };
}

/** A pasted token is as good as signing in. */
function alternatives(requirements, signIn) {
  return [...(signIn === undefined ? [] : requirements), { access_token: [] }];
}

/** Swagger UI would send made-up members of an object, such as a filter of custom attributes. */
function leaveOutObjects({ components, paths }) {
  const objects = Object.entries(components.parameters)
    .filter(([, { style }]) => style === 'deepObject')
    .map(([name]) => `#/components/parameters/${name}`);
  for (const operation of Object.values(paths).flatMap(Object.values))
    operation.parameters = operation.parameters?.filter(({ $ref }) => !objects.includes($ref));
}

/** Swagger UI would send the examples of all optional parameters at once. */
function leaveEmpty(parameter) {
  if (parameter.required) return;
  delete parameter.example;
  delete parameter.examples;
}
