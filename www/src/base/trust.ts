// The one place where a type is asserted instead of proven.

/** Takes data from our own generated source at its word. */
export function trust<T>(value: unknown): T {
  return value as T;
}

/** The keys of a table that has all keys of its type and no others. */
export function keysOf<T extends object>(table: T): readonly (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}
