// The latest answer about the blocks of a replica, which the map, the tree and the inspector show together.
import { createSignal } from 'solid-js';
import type { Blocks } from '../../generated/boundary.ts';

/** The blocks of the replica on screen; undefined until the first answer. */
export const [blocks, setBlocks] = createSignal<Blocks>();
/** The page of blocks that is asked for. */
export const [blockPage, setBlockPage] = createSignal(0);
/** The block pointed at, by its number. */
export const [pointedBlock, setPointedBlock] = createSignal<number>();
/** The run pointed at in the tree, by its index. */
export const [pointedRun, setPointedRun] = createSignal<number>();
