vllm bench serve --backend vllm --model Qwen/Qwen3-14B --dataset-name random --random-input-len 1000 \
  --random-output-len 128 --random-range-ratio 0.2 --random-prefix-len 256 --num-prompts 500 --request-rate 8 \
  --burstiness 0.25 --max-concurrency 64 --seed 3 --save-result
