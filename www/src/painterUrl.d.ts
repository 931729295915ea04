// The address of the painter's thread: vite.config.ts makes the module.
declare module 'virtual:painter' {
  const url: string;
  export default url;
}
