import { type Contract, resolve } from '../../../platform/contract/contract.js';

interface ListSchema {
  readonly enum?: readonly unknown[];
  readonly maxItems?: number;
}

/** Values and limits of the parts of a report, from the contract. */
export interface ReportOptions {
  readonly columns: readonly string[];
  readonly groupKeys: readonly string[];
  readonly sortKeys: readonly string[];
  readonly operators: readonly string[];
  readonly maximum: {
    readonly columns: number;
    readonly groups: number;
    readonly sort: number;
    readonly filters: number;
    /** Values of a list in a filter. */
    readonly values: number;
  };
}

/** Reads the values and limits of the parts of a report. */
export function readReportOptions({ document }: Contract): ReportOptions {
  const { schemas } = document.components;
  const values = (name: string) => enumOf(schemas[name] as ListSchema);
  const items = (name: string) => maximumOf(schemas[name] as ListSchema);
  return {
    columns: values('ReportColumnInput'),
    groupKeys: values('ReportGroupKeyInput'),
    sortKeys: values('ReportSortKey'),
    operators: [
      ...values('ReportTextOperator'),
      ...values('ReportListOperator'),
      ...values('ReportDateOperator'),
    ],
    maximum: {
      columns: items('ReportColumnInputs'),
      groups: items('ReportGroupingInput'),
      sort: items('ReportSortKeys'),
      filters: items('ReportFilterInputs'),
      values: items('ReportFilterTexts'),
    },
  };
}

/** A schema of the contract with all of its `$ref`s replaced. It must not be recursive. */
export function inlinedSchema({ document }: Contract, name: string): unknown {
  const inlined = (node: unknown): unknown => {
    const target = resolve<unknown>(document, node);
    if (Array.isArray(target)) return target.map(inlined);
    if (typeof target !== 'object' || target === null) return target;
    return Object.fromEntries(Object.entries(target).map(([key, value]) => [key, inlined(value)]));
  };
  return inlined(document.components.schemas[name]);
}

function enumOf(schema: ListSchema): string[] {
  return (schema.enum ?? []).map(String);
}

function maximumOf(schema: ListSchema): number {
  if (schema.maxItems === undefined) throw new Error('The contract must limit the parts of a report');
  return schema.maxItems;
}
