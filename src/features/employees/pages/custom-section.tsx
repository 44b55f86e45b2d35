import { isDateText } from '../../../platform/contract/outside-text.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import { DateInWords } from '../../../platform/pages/timestamp.js';
import type { CustomAttribute, CustomType } from '../custom-attributes.js';
import { customValue, formatCustomValue } from '../custom-values.js';
import type { CustomValue, CustomValues } from '../employee.js';
import type { AttributeType } from '../employee-attributes.js';
import { booleanLabel } from './custom-form.js';

/** The part of the page of an employee with custom attributes. */
export function CustomSection({
  attributes,
  values,
}: {
  attributes: readonly CustomAttribute[];
  values: CustomValues;
}) {
  if (attributes.length === 0) return null;
  return (
    <section>
      <h2>More</h2>
      <DescriptionList>
        {attributes.map(({ key, label, type }) => (
          <DescriptionItem key={key} name={label}>
            <ShownValue type={type} value={customValue(values, key)} />
          </DescriptionItem>
        ))}
      </DescriptionList>
    </section>
  );
}

/** A value; a dash for none. */
function ShownValue({ type, value }: { type: CustomType; value: CustomValue | undefined }) {
  if (value === undefined) return <>–</>;
  if (typeof value !== 'object') return <AttributeText type={type} text={formatCustomValue(value)} />;
  return (
    <ul class="plain">
      {value.map((choice) => (
        <li key={choice}>
          <bdi>{choice}</bdi>
        </li>
      ))}
    </ul>
  );
}

/**
 * A value as {@link formatCustomValue} formats it.
 */
export function AttributeText({ type, text }: { type: CustomType | AttributeType; text: string }) {
  if (type === 'date' && isDateText(text)) return <DateInWords date={text} />;
  if (type === 'boolean') return <bdi>{booleanLabel(text)}</bdi>;
  return <bdi class={type === 'long_text' ? 'lines' : undefined}>{text}</bdi>;
}
