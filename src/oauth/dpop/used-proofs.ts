import { createBatcher } from '../../platform/database/batcher.js';
import type { Database, PreparedStatement } from '../../platform/database/client.js';
import { allAccounts } from '../../platform/database/scope.js';
import {
  isCurrent,
  type LiveToken,
  ownerSql,
  type TokenClaims,
  type TokenOwnerRow,
  toOwner,
  toTokenRequest,
} from '../tokens/token-status.js';
import type { Proof } from './proof-verifier.js';

/** The result for a proof: whether it had not been used before, and the owner of the token that it was sent with. */
interface Used {
  readonly isNew: boolean;
  readonly owner: LiveToken | null;
}

interface Use {
  readonly proof: Pick<Proof, 'hash' | 'expiresAt'>;
  /** The access token of the request; absent at the token endpoint. */
  readonly claims?: TokenClaims;
}

type UsedRow = { readonly ordinal: string; readonly isNew: string } & {
  readonly [Column in keyof TokenOwnerRow]: TokenOwnerRow[Column] | null;
};

/**
 * Stores the proofs of several requests, and looks up the owners of their access tokens, in one statement. A conflict waits for
 * the other transaction, so the rows are inserted in one order: two statements with the same proofs cannot deadlock.
 *
 * Benchmarks `list-dpop` and `get-dpop`.
 */
const useProofs: PreparedStatement = {
  name: 'use_proofs',
  isOnCoordinator: true,
  text: `
    WITH request AS MATERIALIZED (
      SELECT ordinal, decode(proof_hash, 'hex') AS proof_hash, expires_at, jti, client_id, grant_id
      FROM json_to_recordset($1::json) AS request
        (ordinal integer, proof_hash text, expires_at timestamptz, jti text, client_id text, grant_id text)
      LIMIT json_array_length($1::json)
    ), used AS (
      INSERT INTO used_proofs (proof_hash, expires_at)
      SELECT proof_hash, expires_at FROM request ORDER BY proof_hash
      ON CONFLICT DO NOTHING
      RETURNING proof_hash
    )
    SELECT request.ordinal::text AS ordinal, (used.proof_hash IS NOT NULL)::text AS "isNew", owner.*
    FROM request
    LEFT JOIN used ON used.proof_hash = request.proof_hash
    LEFT JOIN LATERAL (${ownerSql} OFFSET 0) AS owner ON true`,
};

/**
 * The DPoP proofs that were used, in all processes. Of concurrent uses of a proof exactly one succeeds.
 *
 * @see RFC 9449 section 11.1
 */
export class UsedProofs {
  readonly #use: (use: Use) => Promise<Used>;

  constructor(database: Pick<Database, 'runPrepared'>) {
    this.#use = createBatcher((uses) => useTogether(database, uses), { maxBatchSize: 200, concurrency: 2 });
  }

  /** Uses the proof of a token request. @returns `false` when it was used before */
  async use(proof: Proof): Promise<boolean> {
    return (await this.#use({ proof })).isNew;
  }

  /**
   * Uses the proof of a request with an access token, and finds the application and the user of the token as `FindLiveToken` does.
   *
   * @returns `replayed` when the proof was used before
   */
  async useWithToken(proof: Proof, claims: TokenClaims): Promise<LiveToken | null | 'replayed'> {
    const { isNew, owner } = await this.#use({ proof, claims });
    if (!isNew) return 'replayed';
    return isCurrent(claims, owner) ? owner : null;
  }
}

async function useTogether(database: Pick<Database, 'runPrepared'>, uses: readonly Use[]): Promise<Used[]> {
  const rows = await database.runPrepared<UsedRow>(useProofs, [JSON.stringify(uses.map(toRow))], allAccounts);
  const results: Used[] = uses.map(() => ({ isNew: false, owner: null }));
  const first = new Map<string, number>();
  // The row of a proof that was sent twice is stored once, and returned for both.
  for (const [index, { proof }] of uses.entries()) {
    const hash = proof.hash.toString('hex');
    if (!first.has(hash)) first.set(hash, index);
  }
  for (const { ordinal, isNew, ...row } of rows) {
    const index = Number(ordinal);
    const hash = uses[index]?.proof.hash.toString('hex') ?? '';
    results[index] = {
      isNew: isNew === 'true' && first.get(hash) === index,
      owner: row.applicationId === null ? null : toOwner(row as TokenOwnerRow),
    };
  }
  return results;
}

function toRow({ proof, claims }: Use, ordinal: number) {
  return {
    ordinal,
    proof_hash: proof.hash.toString('hex'),
    expires_at: proof.expiresAt.toISOString(),
    ...(claims && toTokenRequest(claims)),
  };
}
