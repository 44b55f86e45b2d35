import { numberText } from '../../../platform/counted.js';
import { directoryPath } from '../../../platform/pages/paths.js';
import type { DirectoryChoice, DirectoryChoices } from '../directory.js';
import { formatStatus } from '../employee-attributes.js';
import { maximumSearchLength } from '../employee-search.js';
import {
  type DirectorySearch,
  directoryAddress,
  directoryFilters,
  directoryOrders,
  filterText,
} from './directory-address.js';

type FilterName = (typeof directoryFilters)[number];

const labels: Readonly<Record<FilterName, string>> = {
  department: 'Department',
  status: 'Status',
  location: 'Location',
};

/** The form with search text, filters and order. It works without JavaScript. */
export function DirectorySearchForm({
  search: { text, filter, order },
  choices,
}: {
  search: DirectorySearch;
  choices: DirectoryChoices;
}) {
  return (
    <search>
      <form method="get" action={directoryPath} class="search">
        {filter.only !== undefined && <input type="hidden" name="only" value={filter.only.value} />}
        <div>
          <label for="q">Name, e-mail address or number</label>
          <input
            type="search"
            id="q"
            name="q"
            value={text}
            maxLength={maximumSearchLength}
            autocomplete="off"
          />
        </div>
        <details>
          <summary>Filters and order</summary>
          <div class="more">
            {directoryFilters.map((name) => (
              <div key={name}>
                <label for={name}>{labels[name]}</label>
                <select id={name} name={name}>
                  <option value="">All</option>
                  {withSelected(choices[name], filter[name]).map(({ value, count }) => (
                    <option key={value} value={filterText(value)} selected={value === filter[name]}>
                      {formatFilterValue(name, value)}
                      {count === null ? '' : ` (${numberText(count)})`}
                    </option>
                  ))}
                </select>
              </div>
            ))}
            <div class="order">
              <label for="sort">Order</label>
              <select id="sort" name="sort">
                {directoryOrders.map(({ value, label }) => (
                  <option key={value} value={value} selected={value === order}>
                    {label}
                  </option>
                ))}
              </select>
            </div>
          </div>
        </details>
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/** The active filters, each with a link that removes it. */
export function ActiveFilters({ search }: { search: DirectorySearch }) {
  const { text, filter } = search;
  const active = directoryFilters.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, value }];
  });
  if (active.length === 0 && filter.only === undefined) return null;
  return (
    <ul class="chips" aria-label="Active filters; follow a link to remove one">
      {text !== '' && <Chip label={`“${text}”`} address={directoryAddress({ ...search, text: '' })} />}
      {filter.only !== undefined && (
        <Chip
          label={filter.only.label}
          address={directoryAddress({ ...search, filter: { ...filter, only: undefined } })}
        />
      )}
      {active.map(({ name, value }) => (
        <Chip
          key={name}
          label={`${labels[name]}: ${formatFilterValue(name, value)}`}
          address={directoryAddress({ ...search, filter: { ...filter, [name]: undefined } })}
        />
      ))}
      <li>
        <a href={directoryPath}>Remove all</a>
      </li>
    </ul>
  );
}

function Chip({ label, address }: { label: string; address: string }) {
  return (
    <li>
      <a href={address}>
        {label} <span aria-hidden="true">×</span>
      </a>
    </li>
  );
}

/** The choices, with the selected value even if no employee has it. */
function withSelected(
  choices: readonly DirectoryChoice[],
  selected: string | null | undefined,
): readonly DirectoryChoice[] {
  if (selected === undefined || choices.some(({ value }) => value === selected)) return choices;
  return [{ value: selected, count: null }, ...choices];
}

function formatFilterValue(name: FilterName, value: string | null): string {
  if (value === null) return `No ${labels[name].toLowerCase()}`;
  return name === 'status' ? formatStatus(value) : value;
}
