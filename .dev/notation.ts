import type { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;
type Child = z.core.JSONSchema._JSONSchema;

/** Writes a JSON Schema in the shorter notation of docs/protocol.md. */
export function notation(schema: Child, indent = ''): string {
  if (typeof schema === 'boolean') return schema ? 'any' : 'never';
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives !== undefined) return alternatives.map((one) => notation(one, indent)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  return byType(schema, indent);
}

function byType(schema: Schema, indent: string): string {
  if (schema.type === 'object') return objectNotation(schema, indent);
  if (schema.type === 'array') return arrayNotation(schema, indent);
  if (schema.type === 'string') return `string${range(schema.minLength, schema.maxLength)}`;
  if (schema.type === 'integer' || schema.type === 'number') return `${schema.type}${numberRange(schema)}`;
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function objectNotation(schema: Schema, indent: string): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) {
    const values = schema.additionalProperties;
    return typeof values === 'object' ? `{ [key]: ${notation(values, indent)} }` : '{}';
  }
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const optional = schema.required?.includes(name) === true ? '' : '?';
    return `${inner}${name}${optional}: ${notation(field, inner)}${defaultOf(field)}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function arrayNotation(schema: Schema, indent: string): string {
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map((one) => notation(one, indent)).join(', ')}]`;
  const item = Array.isArray(schema.items) || schema.items === undefined ? 'any' : notation(schema.items, indent);
  const most = schema.maxItems === undefined ? '' : ` (at most ${schema.maxItems})`;
  return `${item.includes(' | ') ? `(${item})` : item}[]${most}`;
}

function defaultOf(schema: Child): string {
  return typeof schema === 'object' && schema.default !== undefined ? ` = ${JSON.stringify(schema.default)}` : '';
}

function numberRange({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const least = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : minimum;
  return range(
    least === Number.MIN_SAFE_INTEGER ? undefined : least,
    maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
  );
}

function range(least: number | undefined, most: number | undefined): string {
  if (least === undefined && most === undefined) return '';
  return most === undefined ? ` (${least}…)` : ` (${least ?? 0}…${most})`;
}

function nameOf(ref: string): string {
  return ref.replace('#/$defs/', '').replace('__schema0', 'Json');
}
