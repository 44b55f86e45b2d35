import t from 'tap';
import {
  add,
  append,
  type Change,
  compareChanged,
  drop,
  operation,
  parameter,
  put,
  remove,
  schema,
  withdraw,
} from '../support/contract-changes.js';

const text = { type: 'string', maxLength: 9, description: 'New.' };
const needed = { name: 'tenant', in: 'query', required: true, description: 'New.', schema: text };
const flows = ['components', 'securitySchemes', 'oauth2', 'flows'];
const isRef = (name: string) => (value: unknown) =>
  (value as { $ref?: string }).$ref?.endsWith(`/${name}`) === true;
const without = (value: unknown) => (other: unknown) => value === other;

const employees = operation('/v1/employees', 'get');
const results = operation('/v1/reports/{report_id}/results', 'get');
const updateUser = operation('/v1/users/me', 'patch');

/** Changes that do not touch each other, so that one comparison has to find every one of them. */
const breaks: Record<string, Record<string, Change>> = {
  'operations and who may call them': {
    'an operation is removed': remove(operation('/v1/reports/{report_id}', 'delete')),
    'a path is removed': remove(['paths', '/v1/report_columns']),
    'an operation is renamed': put([...employees, 'operationId'], 'findEmployees'),
    'an operation gets another tag': put([...results, 'tags'], ['Employees']),
    'an operation needs one more scope': add([...employees, 'security', 0, 'oauth2'], 'user:read'),
    'an operation needs another scope': put([...results, 'security', 0, 'oauth2'], ['user:read']),
    'an open operation needs a token': put(
      operation('/.well-known/jwks.json', 'get', 'security'),
      [{ oauth2: ['user:read'] }],
      operation('/.well-known/jwks.json', 'get', 'security', 0),
    ),
    'an operation leaves its security to the default': remove(
      operation('/v1/oauth/token', 'post', 'security'),
    ),
    'a scope is removed': remove(
      [...flows, 'clientCredentials', 'scopes', 'user:write'],
      [...flows, 'clientCredentials', 'scopes'],
    ),
    'tokens are issued elsewhere': put(
      [...flows, 'authorizationCode', 'tokenUrl'],
      'http://localhost:3000/v1/token',
    ),
    'the server moves': put(['servers', 0, 'url'], 'http://localhost:3001'),
  },
  'flows and methods': {
    'a flow is removed': remove([...flows, 'clientCredentials']),
    'a body is needed where none was taken': put(
      operation('/v1/reports/{report_id}', 'delete', 'requestBody'),
      {
        required: true,
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    ),
    'a body is not taken any more': remove([...updateUser, 'requestBody']),
    'an operation has another method': {
      at: '#/paths/~1v1~1reports/post',
      apply: (document) => {
        const { '/v1/reports': item } = document.paths as Record<string, Record<string, unknown>>;
        Object.assign(item as object, { put: item?.post });
        delete item?.post;
      },
    },
  },
  parameters: {
    'a required parameter is new': append([...employees, 'parameters'], needed),
    'a required header is new': append([...results, 'parameters'], {
      ...needed,
      name: 'x-tenant',
      in: 'header',
    }),
    'a path has a required parameter': put(['paths', '/v1/report_columns', 'parameters'], [needed]),
    'an optional parameter is needed': put(parameter('IfMatch', 'required'), true),
    'a parameter is removed': withdraw(operation('/v1/reports', 'get', 'parameters'), isRef('ReportSort')),
    'a parameter is renamed': put(parameter('EmployeeEmailFilter', 'name'), 'filter[mail]'),
    'a path parameter is renamed': put(parameter('EmployeeId', 'name'), 'id'),
    'a parameter moves': put(parameter('EmployeeNumberFilter', 'in'), 'header'),
    'a default changes': put(parameter('PageSize', 'schema', 'default'), 10),
    'a default is removed': remove(
      parameter('PageNumber', 'schema', 'default'),
      parameter('PageNumber', 'schema'),
    ),
    'a maximum is lower': put(parameter('PageNumber', 'schema', 'maximum'), 1000),
    'a minimum is higher': put(parameter('PageSize', 'schema', 'minimum'), 2),
    'a longest length is lower': put(parameter('EmployeeDepartmentFilter', 'schema', 'maxLength'), 100),
    'a shortest length is higher': put(parameter('EmployeeStatusFilter', 'schema', 'minLength'), 2),
    'a pattern changes': put(parameter('EmployeeSort', 'schema', 'pattern'), '^-?last_name$'),
    'a pattern is new': put(parameter('EmployeeDepartmentFilter', 'schema', 'pattern'), '^[a-z]+$'),
    'a format is new': put(parameter('EmployeeStatusFilter', 'schema', 'format'), 'email'),
    'a list of values is new': put(parameter('Scope', 'schema', 'enum'), ['user:read']),
    'a parameter is written in another style': put(parameter('EmployeeFields', 'explode'), false),
    'a value is excluded': put(parameter('State', 'schema', 'not'), { const: 'x' }),
  },
  'bodies of requests': {
    'a new member is needed': {
      at: '#/components/schemas/ReportCreateRequest/required',
      apply: (document) => {
        add(schema('ReportCreateRequest', 'required'), 'owner').apply(document);
        put(schema('ReportCreateRequest', 'properties', 'owner'), text).apply(document);
      },
    },
    'an optional member is needed': put(schema('ReportUpdateRequest', 'required'), ['title']),
    'a member is removed from a closed body': remove(schema('UserUpdateRequest', 'properties', 'zoneinfo')),
    'a member is removed from an open body': remove(
      schema('TokenRevocationRequest', 'properties', 'token_type_hint'),
    ),
    'a member is only returned': put(schema('UserUpdateRequest', 'properties', 'locale', 'readOnly'), true),
    'an open body is closed': put(schema('TokenRequest', 'additionalProperties'), false),
    'a longest length is lower': put(
      schema('UserUpdateRequest', 'properties', 'given_name', 'maxLength'),
      50,
    ),
    'a shortest length is higher': put(
      schema('UserUpdateRequest', 'properties', 'family_name', 'minLength'),
      2,
    ),
    'a pattern changes': put(schema('UserUpdateRequest', 'properties', 'phone_number', 'pattern'), '^[+]41'),
    'null is refused': put(schema('UserUpdateRequest', 'properties', 'nickname', 'type'), 'string'),
    'more members are needed': put(schema('UserUpdateRequest', 'minProperties'), 2),
    'a longer list is needed': put(schema('ReportGrouping', 'minItems'), 1),
    'a list may have fewer entries': put(schema('ReportFilters', 'maxItems'), 10),
    'a list may not repeat': put(schema('ReportFilters', 'uniqueItems'), true),
    'a value is taken away': drop(schema('ReportFilterOperator', 'enum'), without('starts_with')),
    'an alternative is taken away': remove(schema('ReportFilterValue', 'oneOf', 1)),
    'a type changes': put(schema('ReportTitle', 'type'), 'integer'),
  },
  'bodies of answers': {
    'a member is removed': remove(schema('EmployeeAttributes', 'properties', 'department')),
    'a member need not be there any more': drop(schema('UserAttributes', 'required'), without('email')),
    'no member need be there any more': remove(schema('ListMeta', 'required'), schema('ListMeta')),
    'a member can be null': put(schema('EmployeeAttributes', 'properties', 'status', 'type'), [
      'string',
      'null',
    ]),
    'a member has another type': put(schema('UserAttributes', 'properties', 'updated_at', 'type'), 'string'),
    'a whole number can be broken': put(schema('ListMeta', 'properties', 'record_count', 'type'), 'number'),
    'the entries of a list have another type': put(
      schema('AuthorizationServerMetadata', 'properties', 'grant_types_supported', 'items', 'type'),
      'integer',
    ),
    'a text can be longer': put(schema('EmployeeAttributes', 'properties', 'email', 'maxLength'), 1000),
    'a number can be larger': put(schema('Problem', 'properties', 'status', 'maximum'), 999),
    'a format is lost': remove(
      schema('EmployeeAttributes', 'properties', 'updated_at', 'format'),
      schema('EmployeeAttributes', 'properties', 'updated_at'),
    ),
    'a format changes': put(schema('ReportAttributes', 'properties', 'created_at', 'format'), 'date'),
    'a closed list of values grows': add(schema('ReportColumnType', 'enum'), 'decimal'),
    'a list of values shrinks': drop(
      schema('OAuthProblem', 'allOf', 1, 'properties', 'error', 'enum'),
      without('invalid_scope'),
    ),
    'a value is spelt differently': put(schema('Employee', 'properties', 'type', 'enum'), ['employee']),
    'a list of values is lost': remove(
      schema('TokenResponse', 'properties', 'token_type', 'enum'),
      schema('TokenResponse', 'properties', 'token_type'),
    ),
    'a code is removed': drop(schema('ProblemCode', 'enum'), without('token_expired')),
    'a code leaves the catalogue': remove(
      schema('ProblemCode', 'x-problems', 'token_expired'),
      schema('ProblemCode', 'x-problems'),
    ),
    'a code gets another status': put(schema('ProblemCode', 'x-problems', 'not_found', 'status'), 410),
    'a code gets another title': put(schema('ProblemCode', 'x-problems', 'not_found', 'title'), 'Gone'),
    'a code is another error of OAuth': put(
      schema('ProblemCode', 'x-problems', 'invalid_grant', 'oauth_error'),
      'invalid_request',
    ),
    'an empty answer can have members': remove(
      schema('TokenRevocation', 'additionalProperties'),
      schema('TokenRevocation'),
    ),
    'an answer has another schema': put(
      schema('ReportList', 'properties', 'meta', '$ref'),
      '#/components/schemas/ReportColumnAttributes',
      schema('ListMeta', 'properties', 'record_count'),
    ),
  },
  'statuses, headers and media types': {
    'success has another status': {
      at: '#/paths/~1v1~1reports/post/responses/200',
      apply: (document) => {
        const item = (
          document.paths as Record<string, Record<string, { responses: Record<string, unknown> }>>
        )['/v1/reports'];
        const responses = item?.post?.responses ?? {};
        responses['200'] = responses['201'];
        delete responses['201'];
      },
    },
    'a refusal is removed': remove(operation('/v1/reports', 'post', 'responses', '409')),
    'a media type is not read any more': put(
      operation('/v1/oauth/revoke', 'post', 'requestBody', 'content'),
      { 'text/csv': { schema: text } },
      operation('/v1/oauth/revoke', 'post', 'requestBody', 'content', 'application/x-www-form-urlencoded'),
    ),
    'an answer has no body any more': remove([...updateUser, 'responses', '200', 'content']),
    'a media type is not sent any more': remove([...results, 'responses', '200', 'content', 'text/csv']),
    'a refusal has another media type': remove([
      'components',
      'responses',
      'TokenBadRequest',
      'content',
      'application/json',
    ]),
    'a header is removed': remove(
      operation('/v1/reports/{report_id}', 'get', 'responses', '200', 'headers', 'ETag'),
    ),
    'a header of all refusals is removed': remove([
      'components',
      'responses',
      'TooManyRequests',
      'headers',
      'Retry-After',
    ]),
    'a header has another type': put(['components', 'headers', 'RetryAfter', 'schema', 'type'], 'string'),
    'a component is renamed': {
      at: '#/components/schemas/User',
      apply: (document) => {
        const { schemas } = document.components as { schemas: Record<string, unknown> };
        schemas.Person = schemas.User;
        delete schemas.User;
        put(schema('UserDocument', 'properties', 'data', '$ref'), '#/components/schemas/Person').apply(
          document,
        );
      },
    },
  },
};

for (const [group, changes] of Object.entries(breaks)) {
  t.test(`takes for breaking, of ${group}`, async (t) => {
    const comparison = compareChanged(t, Object.values(changes));
    t.equal(comparison.status, 1, comparison.stderr);
    const found = new Set(comparison.places('breaking'));
    for (const [title, { at }] of Object.entries(changes)) t.ok(found.has(at), `${title} (${at})`);
  });
}

t.test('takes for breaking that a part of an answer is lost', async (t) => {
  const comparison = compareChanged(t, [remove(schema('OAuthProblem', 'allOf'))]);
  t.same(comparison.places('breaking'), [remove(schema('OAuthProblem', 'allOf')).at]);
});

t.test('takes for breaking that an optional body is needed', async (t) => {
  const body = [...updateUser, 'requestBody', 'required'];
  const comparison = compareChanged(t, [put(body, true)], { before: [put(body, false)] });
  t.same(comparison.places('breaking'), [put(body, true).at]);
});
