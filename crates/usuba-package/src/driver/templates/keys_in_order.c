    usuba_reverse(@array@, @unit@ * sizeof @array@[0], @all@);
@if apart
    usuba_reverse(@array@, @unit@ * sizeof @array@[0], @before@);
    for (turn = 0; turn < @count@; turn++)
        usuba_reverse(@array@ + @unit@ * (@before@ + turn * @each@), @unit@ * sizeof @array@[0], @each@);
    usuba_reverse(@array@ + @unit@ * (@before@ + @count@ * @each@), @unit@ * sizeof @array@[0], @after@);
@end
