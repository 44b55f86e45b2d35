import { DriverAdapterError } from '@prisma/driver-adapter-utils';

const uniqueViolation = '23505';

/** Converts an error of PostgreSQL to an error of Prisma's driver adapters. Other errors are returned unchanged. */
export function toAdapterError(error: unknown): unknown {
  const { code, severity, message, detail, hint, constraint } = error as Partial<Record<string, string>>;
  if (code === undefined || severity === undefined) return error;
  const original = { originalCode: code, originalMessage: message ?? '' };
  if (code === uniqueViolation && constraint !== undefined) {
    return new DriverAdapterError({
      kind: 'UniqueConstraintViolation',
      constraint: { index: constraint },
      ...original,
    });
  }
  return new DriverAdapterError({
    kind: 'postgres',
    code,
    severity,
    message: message ?? '',
    detail,
    hint,
    column: undefined,
    ...original,
  });
}
