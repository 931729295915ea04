/** How many bytes the page's module has, 0 where it is not built. */
export function engineBytes(): number;
