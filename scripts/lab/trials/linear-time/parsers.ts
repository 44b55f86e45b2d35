import { createEmployeeCheck } from '../../../../src/features/employees/employee-check.js';
import { maximumSearchLength, searchParts } from '../../../../src/features/employees/employee-search.js';
import { readCsvEntries } from '../../../../src/features/imports/csv-entries.js';
import { readJsonEntries } from '../../../../src/features/imports/json-entries.js';
import { maximumLineLength, splitLines } from '../../../../src/features/imports/lines.js';
import { previewFile } from '../../../../src/features/imports/uploads/file-preview.js';
import { readApplicationForm } from '../../../../src/features/oauth-clients/pages/application-form.js';
import { checkClaims } from '../../../../src/features/profile/profiles.js';
import { findDefinitionErrors } from '../../../../src/features/reports/definition-rules.js';
import { contractColumns } from '../../../../src/features/reports/report-columns.js';
import { readRfc3339 } from '../../../../src/features/reports/rfc3339.js';
import { findSettingsErrors } from '../../../../src/oauth/clients/application-settings.js';
import { isClientId } from '../../../../src/oauth/clients/client-registry.js';
import { readClientCredentials } from '../../../../src/oauth/clients/credentials.js';
import { redirectUriError } from '../../../../src/oauth/clients/redirect-uris.js';
import { codeChallengeOf } from '../../../../src/oauth/grants/pkce.js';
import { parseScope, selectScopes } from '../../../../src/oauth/scopes.js';
import { accountNameRule, personNameRule } from '../../../../src/platform/accounts/name-rules.js';
import { emailRule, passwordLengthRule } from '../../../../src/platform/accounts/user-rules.js';
import { loadContract } from '../../../../src/platform/contract/contract.js';
import { hashSecret } from '../../../../src/platform/crypto/keyring.js';
import {
  namesMediaType,
  preferredEncoding,
  requireAcceptable,
} from '../../../../src/platform/http/accept.js';
import { includesTag, readIfMatch } from '../../../../src/platform/http/etag.js';
import { parseForm } from '../../../../src/platform/http/form-parser.js';
import { PageRequest } from '../../../../src/platform/http/pagination.js';
import { originForm, requestIdFor } from '../../../../src/platform/http/request-head.js';
import { networkOf } from '../../../../src/platform/network/network-of-address.js';
import { Fields } from '../../../../src/platform/pages/fields.js';
import { pageNumber } from '../../../../src/platform/pages/pager.js';
import { safeReturnTo } from '../../../../src/platform/pages/paths.js';
import { oauthDescription } from '../../../../src/platform/problems/problem.js';
import { isHeaderText, type Reader } from './measure.js';

const contract = loadContract();

const headerSize = 16 * 1024;
const bodySize = 64 * 1024;
/** Slightly more characters than a record of an import may have. */
const importSize = 18 * 1024;
const baseUrl = 'http://api.test';

const noAnchor = (value: unknown): value is never => value === undefined;

function headersAndFields(): Reader[] {
  const marker = (text: string) => Buffer.from(text).toString('base64url');
  const pageAfter = (after: string) =>
    new PageRequest(
      { 'page[number]': 2, 'page[size]': 50, 'page[after]': after },
      { baseUrl, url: `/v1/employees?page[after]=${after}` },
      noAnchor,
    );
  return (
    [
      [
        'Accept of a result',
        (text) => requireAcceptable({ headers: { accept: `text/csv, ${text}` } }, 'text/csv'),
        'text/html;q=0.9, ',
      ],
      [
        'Accept of a page',
        (text) => namesMediaType({ accept: text }, 'text/html'),
        'application/json;q=0.9, ',
      ],
      ['Accept-Encoding', (text) => preferredEncoding({ 'accept-encoding': text }), 'deflate;q=0.5, '],
      ['If-None-Match', (text) => includesTag(text, '"x"'), '"5d41402abc4b2a76", W/'],
      ['If-Match', (text) => readIfMatch(text)({ id: 'x', version: 1 }), '"5d41402abc4b2a76", '],
      ['X-Request-Id', (text) => requestIdFor({ headers: { 'x-request-id': text } })],
      ['Authorization: Basic', (text) => readClientCredentials({}, `Basic ${text}`)],
      [
        'Authorization: Basic, decoded',
        (text) => readClientCredentials({}, `Basic ${Buffer.from(text).toString('base64')}`),
      ],
      ['Authorization', (text) => readClientCredentials({}, text)],
      ['X-Forwarded-For', networkOf],
      ['request target', originForm],
      ['page[after]', pageAfter],
      ['page[after], decoded', (text) => pageAfter(marker(text))],
      [
        'query of a list',
        (text) =>
          new PageRequest(
            { 'page[number]': 2, 'page[size]': 50 },
            { baseUrl, url: `/v1/employees?${text}` },
            noAnchor,
          ).locate(1000, null),
      ],
      ['return_to', (text) => safeReturnTo(text, baseUrl)],
      ['return_to, a path', (text) => safeReturnTo(`/people/${text}`, baseUrl)],
      ['page', (text) => pageNumber(new Fields({ page: text }))],
      ['field of a query', (text) => new Fields({ q: text }).text('q')],
    ] as [string, (text: string) => unknown, string?][]
  ).map(
    ([name, read, normal]): Reader => ({
      name,
      read,
      size: headerSize,
      accepts: isHeaderText,
      ...(normal !== undefined && { normal }),
    }),
  );
}

function bodies(): Reader[] {
  const emptyReport = { columns: [], filters: [], sort: [], groupBy: [], measures: [] };
  return (
    [
      ['form', parseForm],
      ['field of a form', (text) => new Fields({ name: text }).text('name')],
      [
        'form of an application',
        (text) =>
          readApplicationForm(
            new Fields({ redirect_uris: text, name: text, scopes: text, attributes: text }),
          ),
      ],
      ['redirect URI', (text) => redirectUriError(text, { inDevelopment: true })],
      [
        'redirect URI, https',
        (text) => redirectUriError(`https://${text.slice(0, 1900)}`, { inDevelopment: true }),
      ],
      [
        'settings of an application',
        (text) =>
          findSettingsErrors(
            {
              name: text,
              redirectUris: [text],
              postLogoutRedirectUris: [],
              scopes: [text],
              readableAttributes: [text],
              requireClientSecret: true,
              requireProofOfPossession: false,
              requirePushedRequests: false,
              backchannelLogoutUri: text,
              inDevelopment: true,
            },
            {
              clientType: 'public',
              knownScopes: [],
              knownAttributes: [],
              developmentAllowed: true,
              allowLocal: true,
            },
          ),
      ],
      ['scope', (text) => selectScopes(text, Object.keys(contract.scopes))],
      ['scope names', parseScope],
      ['client_id', isClientId],
      ['code_verifier', codeChallengeOf],
      ['refresh_token', hashSecret],
      ['error_description', (text) => oauthDescription(text.slice(0, 4096))],
      ['e-mail address', emailRule],
      ['name of a person', personNameRule],
      ['name of an account', accountNameRule],
      ['password', passwordLengthRule],
      ['picture', (text) => checkClaims({ picture: text.slice(0, 2048) })],
      ['picture, https', (text) => checkClaims({ picture: `https://${text.slice(0, 2040)}` })],
      ['locale', (text) => checkClaims({ locale: text.slice(0, 35) })],
      ['zoneinfo', (text) => checkClaims({ zoneinfo: text.slice(0, 64) })],
      ['phone_number', (text) => checkClaims({ phoneNumber: text })],
      ['date-time of a filter', readRfc3339],
      [
        'filter of a report',
        (text) =>
          findDefinitionErrors(
            { ...emptyReport, filters: [{ field: 'updated_at', operator: 'in', value: [text] }] },
            contractColumns,
          ),
      ],
      ['search text', searchParts],
      ['search text, cut', (text) => searchParts(text.slice(0, maximumSearchLength))],
    ] as [string, (text: string) => unknown][]
  ).map(([name, read]): Reader => ({ name, read, size: bodySize }));
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 16_384) yield bytes.subarray(start, start + 16_384);
}

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

/** Objects of about this size with values that are nested as deeply as possible. */
const nestedArrays = (size: number) => `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`;
const nestedObjects = (size: number) => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`;

function imports(): Reader[] {
  const { attributes, check } = createEmployeeCheck(contract);
  const header = attributes.join(',');
  return [
    {
      name: 'lines',
      size: importSize,
      shapes: 'own',
      // The cost of a line does not depend on its length.
      normal: '\n',
      units: ['a', '\r', '\r\n', 'a\n'],
      read: (text) => drain(splitLines(bytesOf(text))),
    },
    {
      name: 'CSV',
      size: importSize,
      shapes: 'own',
      normal: 'E1\n',
      units: [',', ',\n', '"', '\n', '\r\n', ' \n'],
      texts: [
        ...['""', '"",', '"a"b', '"a""\n', '"\n', '"a\n"\n', '"\n\n\n'].map((unit) =>
          unit.repeat(importSize / unit.length),
        ),
        `"${'\n'.repeat(importSize)}`,
        `"${'\n'.repeat(importSize)}"`,
      ],
      read: (text) => drain(readCsvEntries(splitLines(bytesOf(`${header}\n${text}`)), attributes)),
    },
    {
      name: 'CSV header',
      size: maximumLineLength,
      shapes: 'own',
      normal: 'name,',
      units: [',', 'a', '"', '"",', 'é'],
      texts: [Array.from({ length: 10_000 }, (_, index) => `${index}`).join(',')],
      read: (text) => drain(readCsvEntries(splitLines(bytesOf(text)), attributes)),
    },
    {
      name: 'JSON Lines',
      size: importSize,
      shapes: 'own',
      normal: '{}\n',
      units: ['[', '{"a":', '"', '1', '\\', ' ', '\n', ' \n', '[]\n'],
      texts: [nestedArrays(importSize), nestedObjects(importSize)],
      read: (text) => drain(readJsonEntries(splitLines(bytesOf(text)))),
    },
    {
      name: 'preview of a file',
      size: bodySize,
      shapes: 'own',
      // A preview ends after the first records.
      normal: '\n',
      units: ['\r\n', ' \n', ',', ',\n', '"', '"\n', 'a', '{}\n', '[]\n', '{\n'],
      texts: [`E1\n${'\n'.repeat(bodySize)}`, nestedArrays(bodySize), nestedObjects(bodySize)],
      read: (text) => previewFile(Buffer.from(text), { isWhole: true, format: null }),
    },
    {
      name: 'attributes of an employee',
      size: maximumLineLength,
      read: (text) => check(Object.fromEntries(attributes.map((name) => [name, text]))),
    },
    {
      name: 'unknown attributes',
      size: maximumLineLength,
      shapes: 'own',
      units: ['a', 'ba', 'b'],
      read: (text) =>
        check(Object.fromEntries(text.split('a').map((name, index) => [`${name}${index}`, name]))),
    },
  ];
}

/** Every parser of outside text that can be called without a server. */
export function parsers(): Reader[] {
  return [...headersAndFields(), ...bodies(), ...imports()];
}
