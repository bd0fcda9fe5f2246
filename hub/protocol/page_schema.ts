import * as z from 'zod';

/** Where the next page begins: what the page before returned. */
export const cursor = z.string().max(200).nullable().default(null);

export const limitUpTo = (most: number, usual: number) => z.int().positive().max(most).default(usual);

/** A page of a list; a null cursor means that there is no more. */
export const page = <K extends string, T extends z.ZodType>(key: K, item: T) =>
  z.strictObject({ [key]: z.array(item), cursor: z.string().nullable() } as Record<K, z.ZodArray<T>> & {
    cursor: z.ZodNullable<z.ZodString>; // a computed key widens to string
  });
