// Which packages the program reads when it runs: what is bundled need not be installed again.
import { builtinModules } from 'node:module';

/** Looked for by bundled packages, which do without; never installed here. */
const ABSENT = ['pg-native'];

/** The packages that these bundles leave to be found at run time, by their outputs as esbuild tells of them. */
export function unbundledOf(metafiles) {
  const imports = metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap((output) => output.imports));
  const names = imports.filter(({ external, path }) => external && !isOurs(path)).map(({ path }) => packageOf(path));
  return [...new Set(names)].sort();
}

/** Throws unless what package.json has installed with the program is what the bundles leave out, no more and no less. */
export function requireDeclared(unbundled, dependencies) {
  const declared = Object.keys(dependencies).sort();
  const wrong = [
    ...unbundled
      .filter((name) => !declared.includes(name))
      .map((name) => `${name} is not bundled: it belongs to optionalDependencies`),
    ...declared
      .filter((name) => !unbundled.includes(name))
      .map((name) => `${name} is bundled: it belongs to devDependencies`),
  ];
  if (wrong.length > 0) throw new Error(`package.json: ${wrong.join('; ')}`);
}

function isOurs(path) {
  return path.startsWith('.') || path.startsWith('node:') || builtinModules.includes(path) || ABSENT.includes(path);
}

function packageOf(path) {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}
