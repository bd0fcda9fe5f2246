// Takes over what a model has committed, to be killed meanwhile. Usage: take_over_driver.mjs <folder> <kind>.
import { openModelGit } from '../tools/private_git/open_model_git.js';

const [folder = '', kind = ''] = process.argv.slice(2);
const { take, model } = openModelGit(folder, kind === 'bubblewrap' ? 'bubblewrap' : 'util-linux');
// The sandbox has been tried then.
await model('true');
console.log('begun');
console.log((await take()).join('; '));
