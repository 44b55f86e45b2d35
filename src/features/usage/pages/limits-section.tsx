import type { Config } from '../../../platform/config/config.js';
import { defaultPageSize, maximumPageSize } from '../../../platform/http/page-size.js';
import type { ReportLimits } from '../../../platform/http/report-limits.js';
import { numberText } from '../../../platform/pages/charts/chart-data.js';
import { Fact, Facts } from '../../../platform/pages/form-parts.js';

/** The limits of an application. `0` of a configured limit is no limit. */
export interface ApplicationLimits {
  readonly configured: Pick<
    Config,
    'rateLimitApi' | 'rateLimitToken' | 'maxReportsPerAccount' | 'maxIdempotencyKeys'
  >;
  readonly reports: Pick<ReportLimits, 'runsPerAccount' | 'downloadsPerAccount' | 'downloadMs'>;
  /** Maximum size of a request body. */
  readonly bodyBytes: number;
}

/** The limits that a call of the application can exceed. */
export function LimitsSection({ limits }: { limits: ApplicationLimits }) {
  const { configured, reports, bodyBytes } = limits;
  return (
    <section>
      <h2>Limits</h2>
      <Facts>
        <Fact name="Calls">{upTo(configured.rateLimitApi, 'a minute')}</Fact>
        <Fact name="Token and revocation requests">{upTo(configured.rateLimitToken, 'a minute')}</Fact>
        <Fact name="Records of a page">
          {numberText(maximumPageSize)}; {numberText(defaultPageSize)} by default
        </Fact>
        <Fact name="Request body">{numberText(bodyBytes / 1024)} KiB</Fact>
        <Fact name="Report runs">
          {numberText(reports.runsPerAccount)} of the account at the same time, in each server process
        </Fact>
        <Fact name="CSV downloads">
          {numberText(reports.downloadsPerAccount)} of the account at the same time, in each server process;{' '}
          {numberText(reports.downloadMs / 60_000)} minutes each
        </Fact>
        <Fact name="Saved reports">{upTo(configured.maxReportsPerAccount, 'in the account')}</Fact>
        <Fact name="Idempotency keys">{upTo(configured.maxIdempotencyKeys, 'in 24 hours')}</Fact>
      </Facts>
    </section>
  );
}

function upTo(limit: number, unit: string): string {
  return limit === 0 ? 'No limit' : `${numberText(limit)} ${unit}`;
}
