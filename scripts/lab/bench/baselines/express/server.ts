// The same API with a common stack: Express, validation by the contract, Prisma, and jose for the bearer token. The token
// contains the account, so that no query is needed for it. Revocation is not checked.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import express, { type ErrorRequestHandler, type Request } from 'express';
import OpenApiValidator from 'express-openapi-validator';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { baseUrl, packageRoot } from '../../../kit/paths.js';
import { positionOf } from '../limit/bodies.js';
import { contractForExpress } from './contract.js';
import { type Employee, PrismaClient } from './generated/client.js';

const { KEYS, DATABASE_URL, PORT } = process.env;
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: DATABASE_URL }) });
const keys = createLocalJWKSet(JSON.parse(KEYS ?? '{"keys":[]}'));
const contract = contractForExpress(readFileSync(path.join(packageRoot, 'openapi', 'v1.yaml'), 'utf8'));
const accounts = new WeakMap<object, string>();

const app = express();
app.get('/readyz', (_request, response) => {
  response.json({});
});
app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: contract,
    validateRequests: true,
    validateResponses: false,
    validateSecurity: { handlers: { oauth2: authenticate } },
  }),
);

async function authenticate(request: Request, scopes: string[]): Promise<boolean> {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  if (scheme !== 'Bearer' || token === undefined) return false;
  const { payload } = await jwtVerify<{ account_id: string; scope: string }>(token, keys, {
    issuer: baseUrl,
    audience: baseUrl,
    typ: 'at+jwt',
  });
  accounts.set(request, payload.account_id);
  const granted = payload.scope.split(' ');
  return scopes.every((scope) => granted.includes(scope));
}

function accountOf(request: object): string {
  return accounts.get(request) ?? '';
}

function cursor(number: number, size: number): string {
  return Buffer.from(JSON.stringify([number, size])).toString('base64url');
}

app.get('/v1/employees', async (request, response) => {
  const page = request.query.page as unknown as { number?: number; size?: number } | undefined;
  const { number = 1, size = 50 } = page ?? {};
  const where = { accountId: accountOf(request) };
  const [employees, count] = await Promise.all([
    prisma.employee.findMany({ where, orderBy: { position: 'asc' }, skip: (number - 1) * size, take: size }),
    prisma.employee.count({ where }),
  ]);
  const last = Math.max(1, Math.ceil(count / size));
  const link = (target: number) => {
    const parameters = new URLSearchParams({ 'page[number]': String(target), 'page[size]': String(size) });
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
    where: { accountId_position: { accountId: accountOf(request), position: positionOf(id) }, id },
  });
  if (employee === null) response.status(404).json({ code: 'not_found' });
  else response.json({ data: toResource(employee) });
});

function toResource(employee: Employee) {
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
      // The employees of the benchmarks do not have these.
      job_title: null,
      location: null,
      hire_date: null,
      termination_date: null,
      manager_id: null,
      updated_at: employee.updatedAt.toISOString(),
    },
  };
}

const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
  response.status(error.status ?? 500).json({ title: error.message, errors: error.errors });
};
app.use(handleError);

app.listen(Number(PORT), '127.0.0.1');
