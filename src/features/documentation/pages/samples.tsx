import type { Sample } from '../samples/samples.js';

/** The same request in each language. One is open at a time. */
export function Samples({ samples }: { samples: readonly Sample[] }) {
  return (
    <section id="samples">
      <h2>Samples</h2>
      {samples.map(({ label, source }, index) => (
        <details key={label} name="sample" open={index === 0}>
          <summary>{label}</summary>
          <pre>
            <code id={`sample-${label}`}>{source.trimEnd()}</code>
          </pre>
          <div>
            <button
              type="button"
              class="quiet"
              hidden
              data-copies={`sample-${label}`}
              data-label={`The sample in ${label} is`}
            >
              Copy
            </button>
          </div>
        </details>
      ))}
      <p id="copied" role="status" class="hint" />
    </section>
  );
}
