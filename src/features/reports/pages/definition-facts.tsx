import { Fact, Facts } from '../../../platform/pages/form-parts.js';
import type { Report } from '../report.js';
import { filterWords, keyLabel, sortWords } from './labels.js';

/** The definition of a report as a list of facts. */
export function DefinitionFacts({ report, withText = false }: { report: Report; withText?: boolean }) {
  const { title, description, columns, groupBy, filters, sort } = report;
  return (
    <Facts>
      {withText && <Fact name="Title">{title}</Fact>}
      {withText && <Fact name="Description">{description ?? 'None'}</Fact>}
      {groupBy.length > 0 ? (
        <Fact name="Groups">{groupBy.map(keyLabel).join(', ')}</Fact>
      ) : (
        <Fact name="Columns">{columns.map(keyLabel).join(', ')}</Fact>
      )}
      <Fact name="Filters">
        {filters.length === 0 ? (
          'None'
        ) : (
          <ul class="conditions">
            {filters.map((filter, index) => (
              <li key={index}>{filterWords(filter)}</li>
            ))}
          </ul>
        )}
      </Fact>
      <Fact name="Order">{sort.length === 0 ? 'Default' : sort.map(sortWords).join('; ')}</Fact>
    </Facts>
  );
}
