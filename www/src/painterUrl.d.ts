// Where the painter's thread is: vite.config.ts makes the module.
declare module 'virtual:painter' {
  const url: string;
  export default url;
}
