import { actionForm } from '../../../platform/pages/define-pages.js';
import type { PageContext, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { ownSecondFactorPath } from '../../../platform/pages/paths.js';
import type { OwnSecondFactorDependencies } from './second-factor-pages.js';

/** Form that creates new recovery codes. */
export function recoveryCodePages(site: PageRouter, { secondFactors }: OwnSecondFactorDependencies): void {
  actionForm(site, `${ownSecondFactorPath}/recovery_codes`, {
    recentPassword: ['form', 'replaces the recovery codes'],
    back: () => ownSecondFactorPath,
    save: async (context) => {
      const codes = await secondFactors.createRecoveryCodes(context.auditContext);
      return recoveryCodesPage(context, codes, { title: 'New recovery codes', next: ownSecondFactorPath });
    },
  });
}

/** The only page that shows recovery codes. */
export function recoveryCodesPage(
  context: PageContext,
  codes: readonly string[],
  { title, next }: { title: string; next: string },
): PageView {
  return {
    title,
    script: 'copy.js',
    // The sign-in is complete now: the page has the navigation.
    context: { ...context, stage: 'complete' },
    body: (
      <>
        <div class="warning">
          <p>
            <strong>Save these recovery codes now. You won't be able to see them again.</strong> Each can be
            used once, when you do not have your second factor. Keep them in a password manager or print them.
          </p>
        </div>
        <div class="copyable">
          <h2 id="codes-label">Recovery codes</h2>
          <pre id="codes" class="recovery-codes">
            {codes.join('\n')}
          </pre>
          <button
            type="button"
            class="quiet"
            hidden
            data-copies="codes"
            data-label="Recovery codes"
            aria-describedby="codes-label"
          >
            Copy
          </button>
        </div>
        <p id="copied" role="status" class="hint" />
        <p class="actions">
          <a class="button" href={next}>
            I have saved the codes
          </a>
        </p>
      </>
    ),
  };
}
