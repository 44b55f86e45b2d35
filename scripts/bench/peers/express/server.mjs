// How the same API is often built: Express, validation by the contract, Prisma, and jose for the bearer token. The
// account is in the token, so that no query looks it up, and nobody asks whether the token was revoked.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import express from 'express';
import OpenApiValidator from 'express-openapi-validator';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { PrismaClient } from '../../generated/express/index.js';
import { baseUrl, packageRoot } from '../../root.mjs';
import { positionOf } from '../position.mjs';
import { contractFor } from './contract.mjs';

const { COUNT, VALIDATE_RESPONSES, KEYS, DATABASE_URL, PORT } = process.env;
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: DATABASE_URL }) });
const keys = createLocalJWKSet(JSON.parse(KEYS ?? '{"keys":[]}'));
const contract = contractFor(readFileSync(path.join(packageRoot, 'openapi', 'v1.yaml'), 'utf8'));

const app = express();
app.get('/readyz', (_request, response) => {
  response.json({});
});
app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: contract,
    validateRequests: true,
    validateResponses: VALIDATE_RESPONSES === 'true',
    validateSecurity: { handlers: { oauth2: authenticate } },
  }),
);

async function authenticate(request, scopes) {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  if (scheme !== 'Bearer' || token === undefined) return false;
  const { payload } = await jwtVerify(token, keys, { issuer: baseUrl, audience: baseUrl, typ: 'at+jwt' });
  request.accountId = payload.account_id;
  const granted = payload.scope.split(' ');
  return scopes.every((scope) => granted.includes(scope));
}

function cursor(number, size) {
  return Buffer.from(JSON.stringify([number, size])).toString('base64url');
}

app.get('/v1/employees', async (request, response) => {
  const { number = 1, size = 50 } = request.query.page ?? {};
  const where = { accountId: request.accountId };
  const [employees, count] = await Promise.all([
    prisma.employee.findMany({ where, orderBy: { position: 'asc' }, skip: (number - 1) * size, take: size }),
    countEmployees(where),
  ]);
  const last = Math.max(1, Math.ceil(count / size));
  const link = (page) => {
    const parameters = new URLSearchParams({ 'page[number]': String(page), 'page[size]': String(size) });
    return `${baseUrl}/v1/employees?${parameters}`;
  };
  response.json({
    data: employees.map(toResource),
    meta: { record_count: count, next_cursor: number < last ? cursor(number + 1, size) : null },
    links: {
      first: link(1),
      prev: number > 1 ? link(number - 1) : null,
      next: number < last ? link(number + 1) : null,
      last: link(last),
    },
  });
});

app.get('/v1/employees/:employeeId', async (request, response) => {
  const id = request.params.employeeId;
  const employee = await prisma.employee.findUnique({
    where: { accountId_position: { accountId: request.accountId, position: positionOf(id) }, id },
  });
  if (employee === null) return response.status(404).json({ code: 'not_found' });
  response.json({ data: toResource(employee) });
});

/** COUNT(*), or the row in which the number is kept. */
async function countEmployees({ accountId }) {
  if (COUNT !== 'kept') return prisma.employee.count({ where: { accountId } });
  const kept = await prisma.employeeCount.findUnique({
    where: { accountId_level_bucket: { accountId, level: 4, bucket: 0 } },
  });
  return kept?.count ?? 0;
}

function toResource(employee) {
  return {
    id: employee.id,
    type: 'employees',
    attributes: {
      employee_number: employee.employeeNumber,
      first_name: employee.firstName,
      last_name: employee.lastName,
      email: employee.email,
      status: employee.status,
      department: employee.department,
      updated_at: employee.updatedAt.toISOString(),
    },
  };
}

app.use((error, _request, response, _next) => {
  response.status(error.status ?? 500).json({ title: error.message, errors: error.errors });
});

app.listen(Number(PORT), '127.0.0.1');
