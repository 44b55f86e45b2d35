import {
  DriverAdapterError,
  isDriverAdapterError,
  type SqlQuery,
  type SqlQueryable,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';

/** Wraps the queries of an adapter, so that unique violations have the name of the constraint instead of its columns. */
export function withConstraintNames(queryable: SqlQueryable): SqlQueryable {
  return {
    provider: queryable.provider,
    adapterName: queryable.adapterName,
    queryRaw: (query: SqlQuery): Promise<SqlResultSet> => queryable.queryRaw(query).catch(nameConstraint),
    executeRaw: (query: SqlQuery): Promise<number> => queryable.executeRaw(query).catch(nameConstraint),
  };
}

function nameConstraint(error: unknown): never {
  const violation = isDriverAdapterError(error) ? error.cause : undefined;
  const name = /unique constraint "([^"]+)"/.exec(violation?.originalMessage ?? '')?.[1];
  if (violation?.kind !== 'UniqueConstraintViolation' || name === undefined) throw error;
  throw new DriverAdapterError({ ...violation, constraint: { index: name } });
}
