import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { Report, ReportDefinition } from '../report.js';
import { filterWords, inSentence, keyLabel, listWords, sortWords } from './labels.js';

/** Summary of a report, such as "12 columns, 2 filters, sorted by last name". */
export function definitionWords({ columns, filters, sort, groupBy }: ReportDefinition): string {
  const shown =
    groupBy.length > 0
      ? `Count by ${listWords(groupBy.map((key) => inSentence(keyLabel(key))))}`
      : counted(columns.length, 'column');
  const keys = sort.map((key) => {
    const label = inSentence(keyLabel(key.replace(/^-/, '')));
    return key.startsWith('-') ? `${label} (descending)` : label;
  });
  return [
    shown,
    ...(filters.length > 0 ? [counted(filters.length, 'filter')] : []),
    ...(keys.length > 0 ? [`sorted by ${listWords(keys)}`] : []),
  ].join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The definition of a report as a list of facts. */
export function DefinitionFacts({ report, withText = false }: { report: Report; withText?: boolean }) {
  const { title, description, columns, groupBy, filters, sort } = report;
  return (
    <DescriptionList>
      {withText && <DescriptionItem name="Title">{title}</DescriptionItem>}
      {withText && <DescriptionItem name="Description">{description ?? 'None'}</DescriptionItem>}
      {groupBy.length > 0 ? (
        <DescriptionItem name="Groups">{groupBy.map(keyLabel).join(', ')}</DescriptionItem>
      ) : (
        <DescriptionItem name="Columns">{columns.map(keyLabel).join(', ')}</DescriptionItem>
      )}
      <DescriptionItem name="Filters">
        {filters.length === 0 ? (
          'None'
        ) : (
          <ul class="conditions">
            {filters.map((filter, index) => (
              <li key={index}>{filterWords(filter)}</li>
            ))}
          </ul>
        )}
      </DescriptionItem>
      <DescriptionItem name="Order">
        {sort.length === 0 ? 'Default' : sort.map(sortWords).join('; ')}
      </DescriptionItem>
    </DescriptionList>
  );
}
